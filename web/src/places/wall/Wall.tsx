/** Sessions side by side. */
export default function Wall() {
  return <main className="wall" />;
}

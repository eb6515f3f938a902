/** The inbox with nothing in it. */
export function Clear() {
  return (
    <div className="empty">
      <h2>Nothing waits for you</h2>
      <p>
        Plans, permissions and questions of all agents come here, the most blocking first. Agents
        that wait give their place to others, so take your time.
      </p>
    </div>
  );
}

/** A key, for those who see it; a button's name does not change with it. */
export function Kbd({ children }: { readonly children: string }) {
  return (
    <span className="kbd" aria-hidden="true">
      {children}
    </span>
  );
}

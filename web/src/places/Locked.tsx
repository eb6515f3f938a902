/** The page without a token: how to get one. */
export function Locked() {
  return (
    <main className="app locked">
      <div className="empty" data-testid="locked">
        <h1>This page has no key yet</h1>
        <p>
          Run <code>manyhands up</code> in a terminal and open the link it prints. Each link works
          once. This browser then stays let in while the hub runs, and pages that are open stay let
          in when it is started again.
        </p>
      </div>
    </main>
  );
}

import { EmptyState } from './ui/empty-state.jsx';
import { useTitle } from './ui/use-title.js';

/** Stands in place of every screen where this browser has not shown the token of the server. */
export function LockedPage() {
  useTitle('No access');
  return (
    <EmptyState title="This browser does not have the key to the server" icon="broken" isScreen>
      <p>
        Open the link that <code>attractor serve</code> printed when it started; it has the token in it, and
        this browser then keeps it. If the server was started anew with another token, use its new link.
      </p>
      <p>
        <a href="./">Try again</a>
      </p>
    </EmptyState>
  );
}

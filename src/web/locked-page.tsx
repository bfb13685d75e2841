import { useState } from 'preact/hooks';
import { Button } from './ui/button.jsx';
import { EmptyState } from './ui/empty-state.jsx';
import { useTitle } from './ui/use-title.js';

/** Replaces every screen while this browser lacks the token of the server; asks for it. */
export function LockedPage() {
  useTitle('No access');
  const [token, setToken] = useState('');
  return (
    <EmptyState title="This browser does not have the token of the server" icon="broken" isScreen>
      <p>
        Open the link that <code>attractor serve</code> printed when it started, or enter its token: the text
        after <code>?token=</code>, which is also in the token file. The browser keeps it until it is closed.
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          // The server leaves a cookie, and leads back to this screen.
          location.assign(`./?token=${encodeURIComponent(token.trim())}${location.hash}`);
        }}
      >
        <label class="field">
          Token
          <input
            type="password"
            required
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <Button type="submit">Open</Button>
      </form>
    </EmptyState>
  );
}

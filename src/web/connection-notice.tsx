import { useEffect } from 'preact/hooks';
import { request, serverState } from './api/request.js';
import { Icon } from './ui/icon.jsx';

const lookMs = 3000;

/** Says that the server does not answer, looks whether it is back, and goes away when it is. */
export function ConnectionNotice() {
  const isLost = serverState.value === 'lost';
  useEffect(() => {
    if (!isLost) return undefined;
    const leaving = new AbortController();
    // What it answers does not matter, as long as it does: `request` notes that.
    const look = () => request('health', { signal: leaving.signal }).catch(() => undefined);
    const timer = setInterval(look, lookMs);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [isLost]);
  return (
    <div role="status" class="connection">
      {isLost && (
        <p class="connection-lost">
          <Icon name="lost" />
          <span>
            Connection lost: the server does not answer. What you see may be old; the page continues by itself
            when the server is back.
          </span>
        </p>
      )}
    </div>
  );
}

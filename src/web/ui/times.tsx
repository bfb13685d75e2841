import { formatDuration } from '../../view/format-duration.js';
import { formatAge } from '../../view/format-values.js';
import { useNow } from './now.js';

/**
 * Age of a time, with the exact time as its title.
 * @param at ISO 8601
 */
export function Age({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} class="number">
      {formatAge(now - Date.parse(at))}
    </time>
  );
}

/** Duration; one that has not ended counts on. */
export function Duration({ from, ms }: { readonly from: string; readonly ms: number | null }) {
  return ms === null ? <Counting from={from} /> : <span class="number">{formatDuration(ms)}</span>;
}

function Counting({ from }: { readonly from: string }) {
  const now = useNow();
  // In whole seconds: the next look is a second away.
  const seconds = Math.max(0, Math.floor((now - Date.parse(from)) / 1000));
  return <span class="number">{seconds < 60 ? `${seconds}s` : formatDuration(seconds * 1000)}</span>;
}

import { isRecord } from '../graph/json.js';

/**
 * What Claude Code reads from its environment, unless that says otherwise. By itself it makes a request that fails again for three
 * minutes, also one whose key is refused; and it writes its conversation down a moment after it has ended its turn, which is too
 * late where its process is ended then.
 */
export const claudeCodeVariables = { CLAUDE_CODE_MAX_RETRIES: '4', CLAUDE_CODE_EAGER_FLUSH: '1' } as const;

/** What it says of a request that it is about to make again, for people; undefined for any other message. */
export function claudeCodeRetry(message: unknown): string | undefined {
  if (!isRecord(message) || message.type !== 'system' || message.subtype !== 'api_retry') return undefined;
  const { error, error_status: status, attempt, max_retries: most, retry_delay_ms: delay } = message;
  const why = [status, error].filter((part) => part !== null && part !== undefined && part !== '').join(' ');
  const wait = typeof delay === 'number' ? ` in ${(delay / 1000).toFixed(1)} s` : '';
  const count =
    typeof attempt === 'number' && typeof most === 'number' ? ` (retry ${attempt} of ${most})` : '';
  return `the request to its model failed${why === '' ? '' : ` (${why})`}; it tries again${wait}${count}`;
}

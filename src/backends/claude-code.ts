import { isRecord } from '../graph/json.js';

/**
 * Default variables for Claude Code. By itself it retries a failed request for three minutes, even one
 * whose key is refused; and it stores its conversation a moment after the end of its turn, which is too
 * late if its process is ended then.
 */
export const claudeCodeVariables = { CLAUDE_CODE_MAX_RETRIES: '4', CLAUDE_CODE_EAGER_FLUSH: '1' } as const;

/** Describes a retry of a request, for people; undefined for any other message. */
export function describeClaudeCodeRetry(message: unknown): string | undefined {
  if (!isRecord(message) || message.type !== 'system' || message.subtype !== 'api_retry') return undefined;
  const { error, error_status: status, attempt, max_retries: most, retry_delay_ms: delay } = message;
  const why = [status, error].filter((part) => part !== null && part !== undefined && part !== '').join(' ');
  const wait = typeof delay === 'number' ? ` in ${(delay / 1000).toFixed(1)} s` : '';
  const count =
    typeof attempt === 'number' && typeof most === 'number' ? ` (retry ${attempt} of ${most})` : '';
  return `the request to its model failed${why === '' ? '' : ` (${why})`}; it tries again${wait}${count}`;
}

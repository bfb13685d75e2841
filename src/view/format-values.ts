/** An amount of US dollars: `$0.0042`, `$1.23`, `$1,204`. Small ones keep two digits that say something. */
export function formatMoney(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars < 0.0001) return '<$0.0001';
  if (dollars < 0.1) return `$${dollars.toFixed(4)}`;
  if (dollars < 1000) return `$${dollars.toFixed(2)}`;
  return `$${Math.round(dollars).toLocaleString('en-US')}`;
}

/** A count that may be large: `812`, `12.3k`, `4.1M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const [amount, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${amount < 99.95 ? amount.toFixed(1).replace(/\.0$/, '') : Math.round(amount)}${unit}`;
}

/** A size of a file: `0 B`, `812 B`, `12.3 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const text = formatCount(bytes);
  return `${text.slice(0, -1)} ${text.slice(-1)}B`;
}

/** Age in words: `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 days ago`; a clock may be ahead of ours. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 5) return 'now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? '1 day ago' : `${days} days ago`;
}

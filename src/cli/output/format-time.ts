/** A moment for people, in their time zone: `2026-01-31 14:03:04`. @param time ISO 8601 or milliseconds since 1970 */
export function formatTime(time: string | number): string {
  const date = new Date(time);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  return `${day} ${clock}`;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}

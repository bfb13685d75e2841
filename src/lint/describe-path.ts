import { excerpt } from '../diagnostic/excerpt.js';

const shownBefore = 2;
const shownBehind = 3;

/**
 * Path for a message: `"a" -> "b" -> "exit"`; of a long one its beginning, its end, and the part around the
 * important node.
 * @param parting position of that node
 */
export function describePath(ids: readonly string[], parting: number): string {
  const last = ids.length - 1;
  const isShown = (position: number) =>
    position === 0 ||
    position === last ||
    (position > parting - shownBefore && position <= parting + shownBehind);
  const steps: string[] = [];
  let isCut = false;
  for (let position = 0; position <= last; position += 1) {
    if (isShown(position)) steps.push(excerpt(ids[position] ?? ''));
    else if (!isCut) steps.push('…');
    isCut = !isShown(position);
    if (isCut) position = position < parting ? parting - shownBefore : last - 1;
  }
  return steps.join(' -> ');
}

import type { BackendCall } from '../handlers/codergen-backend.js';

/**
 * Words of people that an agent does not have yet, as its next prompt; undefined if there are none. They are in its conversation,
 * on the disk, before it gets them, and in a run of a cluster in the database: no crash repeats them.
 */
export async function wordsForAgent({
  steering,
  conversation,
}: Pick<BackendCall, 'steering' | 'conversation'>): Promise<string | undefined> {
  const { waiting = [] } = steering ?? {};
  const heard = new Set(conversation?.earlier?.entries.flatMap((entry) => idIn(entry)));
  const texts = waiting.flatMap(({ id, text, by }) => {
    const isNew = !heard.has(id);
    if (isNew) conversation?.add({ kind: 'person', text, steering_id: id, by });
    steering?.delivered(id);
    return isNew ? [text] : [];
  });
  if (texts.length === 0) return undefined;
  await conversation?.kept();
  return texts.join('\n\n');
}

type Entry = NonNullable<NonNullable<BackendCall['conversation']>['earlier']>['entries'][number];

function idIn(entry: Entry): readonly string[] {
  return entry.kind === 'person' && entry.steering_id !== undefined ? [entry.steering_id] : [];
}

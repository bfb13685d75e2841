import { respond } from '../../handlers/codergen.js';
import type { Handler, Stage } from '../../handlers/handler.js';
import type { Outcome } from '../../machine/outcome.js';
import type { ScriptEntry } from '../../run-directory/simulation-script.js';

/** Handler that follows the script for this attempt; the real one is never called (DESIGN §5). */
export function scriptedHandler(entries: readonly ScriptEntry[], execution: number): Handler {
  return {
    isSimulated: true,
    async execute(stage) {
      stage.markSimulated();
      const entry = entries[Math.min(execution, entries.length - 1)];
      if (entry === undefined) throw new Error(`the script has no entry for "${stage.node.id}"`);
      if (entry.delay !== undefined) await stage.sleep(entry.delay);
      if (entry.throw !== undefined) throw new Error(entry.throw);
      return outcomeOf(stage, entry);
    },
  };
}

function outcomeOf(stage: Stage, entry: ScriptEntry): Outcome {
  const { outcome: status, delay: _delay, throw: _throw, response, preferred_next_label, ...details } = entry;
  const answered = response === undefined ? undefined : respond(stage, response);
  const label = details.preferred_label ?? preferred_next_label;
  const given = Object.entries({ ...details, preferred_label: label });
  const written = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return {
    ...answered,
    ...written,
    status,
    context_updates: { ...answered?.context_updates, ...details.context_updates },
  };
}

/** Handler for a stage that would do real work: succeeds without doing anything (DESIGN §5). */
export const simulatedHandler: Handler = {
  isSimulated: true,
  execute({ node, markSimulated }) {
    markSimulated();
    return { status: 'success', notes: `[Simulated] ${node.id}` };
  },
};

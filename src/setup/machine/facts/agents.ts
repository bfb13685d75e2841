import { acpChooser } from '../../../backends/acp/acp-chooser.js';
import { acpAgents } from '../../../backends/acp/agents.js';
import { commandAgents } from '../../../backends/command/agents.js';
import { commandChooser } from '../../../backends/command/command-chooser.js';
import type { Fact, FactFinder, MachineEnvironment } from '../fact.js';
import { firstLineOf } from '../first-line.js';

/** Coding agents, by the ways in which they can be called, with their versions. */
export const agents: FactFinder = {
  group: 'agents',
  async find(machine) {
    const known = new Set([...commandAgents, ...acpAgents].map(({ name }) => name));
    const names = new Set([...machine.extensions.settings.agents.keys(), ...known]);
    return Promise.all([...names].map((name) => factOf(name, known.has(name), machine)));
  },
};

async function factOf(
  name: string,
  isKnown: boolean,
  { directory, extensions: { settings }, keys: { variables } }: MachineEnvironment,
): Promise<Fact> {
  const place = { workingDirectory: directory, settings, variables };
  const ways = [
    { way: 'command line', choice: commandChooser.agentNamed(name, place) },
    { way: 'Agent Client Protocol', choice: acpChooser.agentNamed(name, place) },
  ];
  const found = await Promise.all(
    ways.map(async ({ way, choice }) => {
      if (choice.kind !== 'agent') return undefined;
      const { program } = choice.chosen;
      // A program of the user's own may do anything when it is called.
      const version = isKnown ? await firstLineOf(program, ['--version']) : undefined;
      const { metering } = choice.chosen;
      const metered = metering.kind === 'metered' ? 'metered' : `not metered: ${metering.why}`;
      return `${version || program} (${way}, ${metered})`;
    }),
  );
  const usable = found.filter((one) => one !== undefined);
  if (usable.length > 0) return { name, state: 'ok', found: usable.join(', ') };
  const [missing] = ways.flatMap(({ choice }) => (choice.kind === 'missing' ? [choice.problem] : []));
  return { name, state: 'missing', found: missing ?? 'not installed' };
}

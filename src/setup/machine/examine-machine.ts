import type { Fact, FactFinder, MachineEnvironment } from './fact.js';
import { factFinders } from './facts/index.js';

/** Facts about a machine, by their group, in the order of a report. */
export type MachineReport = Readonly<Record<FactFinder['group'], readonly Fact[]>>;

/** Finds out what this machine has for pipelines (SEMANTICS 121). */
export async function examineMachine(machine: MachineEnvironment): Promise<MachineReport> {
  const found = await Promise.all(
    factFinders.map(async ({ group, find }) => ({ group, facts: await find(machine) })),
  );
  const of = (wanted: FactFinder['group']): readonly Fact[] =>
    found.flatMap(({ group, facts }) => (group === wanted ? facts : []));
  return { machine: of('machine'), providers: of('providers'), agents: of('agents') };
}

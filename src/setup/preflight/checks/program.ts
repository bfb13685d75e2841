import path from 'node:path';
import { isInstalled } from '../../../backends/find-program.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import { namedPrograms } from '../../../lint/analysis/named-programs.js';

import type { PlannedStage } from '../planned-pipelines.js';
import { foundTogether, type PreflightCheck, stagesOf } from '../preflight-check.js';

/** The programs that tools start by their names are in the search path. */
export const program: PreflightCheck = {
  id: 'program',
  summary: 'A `tool_command` names a program that is not installed, or a script that does not exist.',
  isAboutRealWork: true,
  isAboutMachine: true,
  *find(run) {
    const { workingDirectory, variables, mayRunCommands = true } = run;
    // A pipeline that may run no commands learns nothing about this machine.
    if (!mayRunCommands) return;
    const known = new Map<string, boolean>();
    const exists = (name: string, directory: string): boolean => {
      const key = `${directory}\n${name}`;
      const found = known.get(key) ?? isInstalled(name, directory, variables.PATH);
      known.set(key, found);
      return found;
    };
    const missing = stagesOf(run).flatMap((stage): readonly [string, string][] => {
      const directory = directoryOf(stage, workingDirectory);
      if (directory === undefined) return [];
      return [...namedPrograms(nodeAttribute(stage.node, 'tool_command')).keys()]
        .filter((name) => !exists(name, directory))
        .map((name) => [messageOf(name), stage.id]);
    });
    yield* foundTogether(missing, { severity: 'info' });
  },
};

function messageOf(name: string): string {
  return name.includes('/')
    ? `there is no executable file "${name}"; its command fails unless an earlier stage writes it`
    : `there is no program "${name}" in the PATH; its command fails unless an earlier stage installs it`;
}

/** Directory of a tool; undefined for other stages, and if it depends on values of the run. */
function directoryOf(
  { graph, node, handler, isOfPlugin }: PlannedStage,
  workingDirectory: string,
): string | undefined {
  if (!handler.runsCommand || isOfPlugin) return undefined;
  const written = nodeAttribute(node, 'workdir') || graphAttribute(graph, 'workdir');
  return written.includes('$') ? undefined : path.resolve(workingDirectory, written);
}

import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Attribute } from '../../../graph/graph.js';
import { nodesHandledBy } from '../../../graph/queries.js';
import { namedPrograms } from '../../analysis/named-programs.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** §4.10: `sh` ends with 127 where it does not find a program. */
export const programMissing: LintRule = {
  name: 'program_missing',
  severity: 'info',
  summary: 'The programs that commands start are installed on this machine.',
  rationale:
    'A `tool_command` that starts a program which is not in the PATH fails with exit code 127. The rule looks for programs that a command names, not for paths such as `./build.sh`, and leaves out what a command looks for itself (`command -v jq`) or can do without (`jq . f || true`). It is only a hint, because the pipeline may run on another machine, or install the program in an earlier stage. Install the program, or write its path.',
  needsPrograms: true,
  *apply(graph, { handlerTypes, isInstalled, source }) {
    if (isInstalled === undefined) return;
    const told = new Set<string>();
    const seen = new Set<Attribute>();
    for (const node of nodesHandledBy(graph, handlerTypes, ({ type }) => type === 'tool')) {
      const attribute = node.attributes.get('tool_command');
      if (attribute === undefined || seen.has(attribute)) continue;
      seen.add(attribute);
      for (const [name, span] of namedPrograms(String(attribute.value))) {
        if (name.includes('/') || told.has(name) || isInstalled(name)) continue;
        told.add(name);
        yield {
          message: `there is no program ${excerpt(name)} in the PATH, so this command fails here`,
          span: spanInside(attribute, span, source),
          nodeId: node.id,
          fix: { title: 'install the program, or write its path', edits: [] },
        };
      }
    }
  },
};

import { isWithoutTools, ownToolNames, toolNamesOf, toolPrefixOf } from '../../../backends/ai/tool-names.js';
import { didYouMean } from '../../../diagnostic/did-you-mean.js';
import { workerOf } from '../../worker-of.js';
import { foundTogether, type PreflightCheck } from '../preflight-check.js';

/**
 * The names in `tools` are known, for stages that call a model directly. Only a started MCP server says which tools it has, so
 * any name with its prefix passes.
 */
export const tool: PreflightCheck = {
  id: 'tool',
  summary: 'The attribute `tools` of a stage names a tool that does not exist.',
  isAboutRealWork: true,
  isAboutMachine: false,
  *find({ plan }) {
    if (plan.kind === 'none' || plan.kind === 'plugin') return;
    const prefixes = [...plan.environment.settings.mcp_servers.keys()].map(toolPrefixOf);
    const unknown = plan.stages.flatMap((stage): readonly (readonly [string, string])[] => {
      const names = toolNamesOf(stage.node);
      if (isWithoutTools(names) || workerOf(plan, stage)?.definition.name !== 'ai') return [];
      return names
        .filter((name) => !isOwn(name) && !prefixes.some((prefix) => name.startsWith(prefix)))
        .map((name) => [`there is no tool "${name}"${didYouMean(name, ownToolNames)}`, stage.id] as const);
    });
    yield* foundTogether(unknown, {
      severity: 'error',
      help: `\`tools\` takes ${ownToolNames.join(', ')}, and those of the MCP servers in the configuration, as <server>_<tool>; or \`none\` alone`,
    });
  },
};

function isOwn(name: string): boolean {
  return ownToolNames.some((one) => one === name);
}

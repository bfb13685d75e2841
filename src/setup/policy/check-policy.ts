import { builtInBackends } from '../../backends/index.js';
import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { SourceText } from '../../diagnostic/source.js';
import { graphAttribute } from '../../graph/attributes.js';
import type { Graph } from '../../graph/graph.js';
import type { Program } from '../../graph/program.js';
import { valueSpanOf } from '../../lint/findings-inside.js';
import { howAllowed, mayRunCommands, type PolicedRun } from './policed-run.js';
import { hookRefusal, type Refusal, stageRefusals } from './stage-refusals.js';

/** Pipeline that may run, with its text. */
interface Policed {
  readonly program: Program;
  readonly source: SourceText;
}

/** Rule of diagnostics about things that the server's policy does not allow. */
const notAllowed = 'not_allowed';

/**
 * Diagnostics for parts of a pipeline that this server does not allow (§9.5): each stage and attribute that
 * could run a command, if the server was started without `--allow-tools`. A simulation runs nothing, so it
 * may have all of them.
 */
export function checkPolicy({ program, source }: Policed, run: PolicedRun): readonly Diagnostic[] {
  if (mayRunCommands(run) || run.simulate) return [];
  const { graph } = program;
  const diagnostic = ({ problem, at }: Refusal, nodeId?: string): Diagnostic => ({
    rule: notAllowed,
    severity: 'error',
    message: `${problem}, and ${howAllowed(run)}`,
    span: 'value' in at ? valueSpanOf(at, source) : at,
    nodeId,
  });
  const ofGraph = [...backendRefusals(graph, run), ...graphRefusals(graph, run)];
  const ofStages = [...program.nodes.values()].flatMap(({ id, node, handler }) =>
    stageRefusals(graph, node, handler, run).map((refusal) => diagnostic(refusal, id)),
  );
  return [...ofGraph.map((refusal) => diagnostic(refusal)), ...ofStages];
}

/** Refusals of the backend, which the submission or the configuration chooses for all stages. */
function backendRefusals({ nameSpan }: Graph, { extensions }: PolicedRun): readonly Refusal[] {
  const { backend } = extensions;
  if (backend === undefined || extensions.backends.has(backend)) return [];
  const isProgram = builtInBackends.some(
    ({ name, runsPrograms }) => name === backend && runsPrograms === true,
  );
  return isProgram ? [{ problem: `the backend "${backend}" starts coding agents`, at: nameSpan }] : [];
}

function graphRefusals(graph: Graph, { keptByGit }: PolicedRun): readonly Refusal[] {
  const pre = hookRefusal(graph.attributes, 'tool_hooks.pre', 'the pipeline');
  const post = hookRefusal(graph.attributes, 'tool_hooks.post', 'the pipeline');
  const git = graph.attributes.get('git');
  const runsGit = git !== undefined && graphAttribute(graph, 'git');
  return [
    ...(pre === undefined ? [] : [pre]),
    ...(post === undefined ? [] : [post]),
    ...(keptByGit ? [{ problem: 'the run uses git', at: graph.nameSpan }] : []),
    ...(runsGit ? [{ problem: 'git=true runs git, and the hooks of its repository', at: git }] : []),
  ];
}

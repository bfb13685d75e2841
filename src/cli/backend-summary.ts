import { withDefaults } from '../backends/choose-backend.js';
import { listFirst } from '../diagnostic/list-first.js';
import { type ModelChoice, modelChoice } from '../graph/model-choice.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import type { BackendPlan } from '../setup/backend-plan.js';
import { isModelStage } from '../setup/extensions.js';

/** What a summary is made of. */
export interface SummarizedRun {
  readonly plan: BackendPlan;
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly isPretended: (node: ProgramNode) => boolean;
}

/**
 * Which model or agent does which stages, for people, before anything costs money; undefined where nobody but a plugin, or
 * nobody at all, does.
 */
export function backendSummary({
  plan,
  program,
  extensions,
  isPretended,
}: SummarizedRun): string | undefined {
  const stages = new Map<string, string[]>();
  for (const node of program.nodes.values()) {
    if (isPretended(node) || !isModelStage(node, extensions)) continue;
    const who = workerOf(plan, node.id, modelChoice(program.graph, node.node));
    if (who !== undefined) stages.set(who, [...(stages.get(who) ?? []), node.id]);
  }
  if (stages.size === 0) return undefined;
  return [...stages].map(([who, ids]) => `${who} for ${listFirst(ids)}`).join('; ');
}

function workerOf(plan: BackendPlan, nodeId: string, asked: ModelChoice): string | undefined {
  if (plan.kind === 'one') {
    return describeModel(plan.definition.name, withDefaults(asked, plan.environment.settings));
  }
  const choice = plan.kind === 'auto' ? plan.choices.get(nodeId) : undefined;
  return choice?.kind === 'backend' ? describeModel(choice.definition.name, choice.model) : undefined;
}

/** `ai` is how, not who. */
function describeModel(backend: string, { provider, model }: ModelChoice): string {
  const who = [provider, model].filter((name) => name !== undefined).join('/');
  return backend === 'ai' && who !== '' ? who : `${who === '' ? 'its own model' : who} (${backend})`;
}

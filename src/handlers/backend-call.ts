import { modelChoice } from '../graph/model-choice.js';
import type { StageRoutes } from '../graph/stage-routes.js';
import type { BackendCall } from './codergen-backend.js';
import type { Stage } from './handler.js';
import { toolEnvironment } from './tools/tool-environment.js';

/**
 * Call of a backend from its stage (§4.5).
 * @param routes the routes among which the backend may choose
 */
export function backendCall(stage: Stage, routes?: StageRoutes): BackendCall {
  const { graph, node, runId, signal, workingDirectory, logsRoot, stageDirectory, visit, attempt } = stage;
  const {
    report,
    checkBudget,
    ask,
    log,
    makeStageDirectory,
    writeFile,
    sleep,
    standBy,
    carryover,
    redactor,
    isBudgeted,
    steering,
  } = stage;
  return {
    graph,
    runId,
    signal,
    workingDirectory,
    logsRoot,
    stageDirectory,
    visit,
    attempt,
    routes,
    report,
    checkBudget,
    ask,
    log,
    makeStageDirectory,
    writeFile,
    sleep,
    standBy,
    redactor,
    isBudgeted,
    steering,
    model: modelChoice(graph, node),
    environment: () => toolEnvironment(stage),
    fidelity: carryover?.mode,
    thread: carryover?.thread,
    session: carryover?.session,
  };
}

import { nodeAttribute } from '../graph/attributes.js';
import { nodeTemplate } from '../graph/templates.js';
import type { Outcome } from '../machine/outcome.js';
import { backendAnswer, isSimulated } from './backend-answer.js';
import { backendCall } from './backend-call.js';
import type { ChildRun, ChildTelemetry } from './child-runner.js';
import type { CodergenBackend } from './codergen-backend.js';
import { messageOf } from './error-category.js';
import { fitPrompt, promptParts } from './fit-prompt.js';
import { type Stage, StageCrash, StageSuspension } from './handler.js';
import { withoutSecrets } from './without-secrets.js';

/** File that a manager writes into the directories of its child's running stages. */
const steeringFile = 'steering.md';

/**
 * Intervenes in a child (§4.11 "Steer"): writes the manager's prompt, or the answer of its backend to that
 * and the telemetry, for the running stages; then waits until `manager.steer_cooldown` has passed.
 */
export class Steering {
  readonly #stage: Stage;
  readonly #backend: CodergenBackend | undefined;
  readonly #over: AbortSignal;
  #isCoolingDown = false;
  #hasComplained = false;

  /** @param over aborted when there is nothing more to steer */
  constructor(stage: Stage, backend: CodergenBackend | undefined, over: AbortSignal) {
    this.#stage = stage;
    this.#backend = backend;
    this.#over = over;
  }

  async steer(child: ChildRun | undefined): Promise<void> {
    if (child === undefined || this.#isCoolingDown) return;
    const telemetry = child.telemetry();
    if (telemetry.activeStages.length === 0) return;
    if (nodeAttribute(this.#stage.node, 'prompt').trim() === '') return this.#complain();
    this.#coolDown();
    const text = await this.#text(telemetry);
    if (text.trim() === '') return;
    this.#leave(child, text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Writes the text for the child; a failure to do so must not stop the child. */
  #leave(child: ChildRun, text: string): void {
    const { node, log } = this.#stage;
    try {
      const steered = child.steer(steeringFile, text);
      if (steered.length > 0) log('info', `"${node.id}" steers ${steered.join(', ')}`);
    } catch (error) {
      log('warning', `"${node.id}" could not steer its child: ${messageOf(error)}`);
    }
  }

  #complain(): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const { id } = this.#stage.node;
    this.#stage.log('warning', `"${id}" steers its child, but has no prompt that says how`);
  }

  #coolDown(): void {
    const { node } = this.#stage;
    const cooldown =
      nodeAttribute(node, 'manager.steer_cooldown') ?? nodeAttribute(node, 'manager.poll_interval');
    this.#isCoolingDown = true;
    const stop = (): void => {
      this.#isCoolingDown = false;
    };
    this.#stage.sleep(cooldown.milliseconds, this.#over).then(stop, stop);
  }

  async #text(telemetry: ChildTelemetry): Promise<string> {
    const { node, context, signal, log } = this.#stage;
    const parts = promptParts(this.#stage, nodeTemplate(node, 'prompt'));
    const instruction = await fitPrompt(this.#stage, parts, this.#backend);
    if (this.#backend === undefined) return instruction;
    const prompt = withoutSecrets(this.#stage, promptFor(instruction, telemetry));
    this.#stage.writeFile('prompt.md', prompt);
    try {
      this.#stage.checkBudget();
      const call = backendCall(this.#stage);
      const result = await this.#backend.run(node, prompt, context, call);
      if (isSimulated(result)) return instruction;
      const text = textOf(backendAnswer(result));
      this.#stage.writeFile('response.md', text);
      return text;
    } catch (error) {
      if (signal.aborted || error instanceof StageCrash || error instanceof StageSuspension) throw error;
      log(
        'warning',
        `the model could not decide how "${node.id}" should steer its child: ${messageOf(error)}`,
      );
      return '';
    }
  }
}

function promptFor(instruction: string, telemetry: ChildTelemetry): string {
  const { activeStages, lastStage, completed, retries, failures, artifacts, lastEvent } = telemetry;
  const lines = [
    `- stages under way: ${activeStages.join(', ')}`,
    `- last finished stage: ${lastStage ?? 'none'}`,
    `- finished: ${completed}, retries: ${retries}, failures: ${failures}, artifacts: ${artifacts}`,
    `- latest event: ${lastEvent}`,
  ];
  return `${instruction}\n\n# The supervised pipeline\n\n${lines.join('\n')}\n\nAnswer only with the instruction for the active stages. An empty answer sends them nothing.`;
}

function textOf(result: string | Outcome): string {
  return typeof result === 'string' ? result : (result.notes ?? '');
}

import type { BackendCall } from '../../handlers/codergen-backend.js';
import { type Fields, recordIn, recordsIn, textIn } from './fields.js';

/** Session with settings that can be changed. */
export interface ConfigurableSession {
  readonly title: string;
  readonly id: string;
  /** Answer of the agent when the session was begun, or resumed. */
  readonly begun: unknown;
  request(method: string, params: object): Promise<unknown>;
}

/**
 * Sets the model and the effort that a stage asks for, if the agent has settings for them (§8.5): by
 * options of the session, or by the older `session/set_model`. Anything it cannot set is logged.
 */
export async function configureSession(
  session: ConfigurableSession,
  { model, log }: Pick<BackendCall, 'model' | 'log'>,
): Promise<void> {
  let options = recordsIn(session.begun, 'configOptions');
  if (model.model !== undefined) {
    const option = options.find((one) => categoryOf(one) === 'model');
    if (option === undefined) await setModelAsBefore(session, model.model, log);
    else options = (await choose(session, option, model.model, log, 'warning')) ?? options;
  }
  const effort = options.find((one) => categoryOf(one) === 'thought_level');
  // Not every model reasons, so this is only an info.
  if (effort !== undefined) await choose(session, effort, model.reasoningEffort, log, 'info');
}

function categoryOf(option: Fields): string | undefined {
  return textIn(option, 'category') ?? textIn(option, 'id');
}

type Log = BackendCall['log'];

/** @returns the resulting options: the efforts depend on the model */
async function choose(
  session: ConfigurableSession,
  option: Fields,
  wanted: string,
  log: Log,
  level: 'info' | 'warning',
): Promise<readonly Fields[] | undefined> {
  const current = textIn(option, 'currentValue');
  if (current === wanted) return undefined;
  const offered = valuesOf(option);
  const value = offered.find((one) => one === wanted) ?? offered.find((one) => isSame(one, wanted));
  const what = textIn(option, 'name') ?? textIn(option, 'id') ?? 'option';
  if (value === undefined) {
    const known = offered.length === 0 ? '' : `; it offers ${offered.join(', ')}`;
    log(level, `${session.title} does not offer "${wanted}" as its ${what}, and keeps "${current}"${known}`);
    return undefined;
  }
  if (value === current) return undefined;
  try {
    const configId = textIn(option, 'id');
    const params = { sessionId: session.id, configId, value };
    const answer = await session.request('session/set_config_option', params);
    const options = recordsIn(answer, 'configOptions');
    return options.length === 0 ? undefined : options;
  } catch (error) {
    log('warning', `${session.title} did not take "${wanted}" as its ${what}: ${messageOf(error)}`);
    return undefined;
  }
}

/** Values of an option, which may be grouped. */
function valuesOf(option: Fields): readonly string[] {
  return recordsIn(option, 'options').flatMap((one) =>
    [one, ...recordsIn(one, 'options')].flatMap((leaf) => textIn(leaf, 'value') ?? []),
  );
}

/** True for `openai/gpt-5` and `gpt-5`, in any case. */
function isSame(value: string, wanted: string): boolean {
  const lower = wanted.toLowerCase();
  return value.toLowerCase() === lower || value.toLowerCase().split('/').at(-1) === lower;
}

/** Sets the model by `session/set_model`, which was removed from the protocol but remains in some agents. */
async function setModelAsBefore(session: ConfigurableSession, wanted: string, log: Log): Promise<void> {
  const models = recordIn(session.begun, 'models');
  const offered = recordsIn(models, 'availableModels').flatMap((one) => textIn(one, 'modelId') ?? []);
  const current = textIn(models, 'currentModelId');
  if (current === wanted) return;
  const modelId = offered.find((one) => one === wanted) ?? offered.find((one) => isSame(one, wanted));
  if (modelId === undefined) {
    const words = offered.length === 0 ? 'does not offer a choice of models' : `offers ${offered.join(', ')}`;
    log('info', `${session.title} ${words}, so it may not use "${wanted}"`);
    return;
  }
  try {
    await session.request('session/set_model', { sessionId: session.id, modelId });
  } catch (error) {
    log('warning', `${session.title} did not take "${wanted}" as its model: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

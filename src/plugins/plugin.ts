import type { JsonValue } from '../graph/json.js';
import type { HandlerDescription } from '../graph/known-handler-types.js';
import type { CodergenBackend } from '../handlers/codergen-backend.js';
import type { Handler } from '../handlers/handler.js';
import type { LintRule } from '../lint/rule.js';
import type { Interviewer } from '../run/questions/interviewer.js';
import type { TransformLike } from '../transforms/index.js';

/**
 * Extension of the language and the engine by a module (§4.12, §6.4, §7.4, §9.3), named in
 * `attractor.config.json` or with `--plugin`. The module exports it as `default` or as `plugin`, or exports
 * a function that makes it.
 */
export interface Plugin {
  /** Name of the plugin in messages. */
  readonly name: string;
  /** Handler types that add to the built-in ones, or replace them (§4.12). */
  readonly handlers?: readonly PluginHandler[];
  /** Run after the built-in transforms, in this order (§9.3). */
  readonly transforms?: readonly TransformLike[];
  /** Run after the built-in rules (§7.4). */
  readonly rules?: readonly LintRule[];
  /** Interviewers, to be chosen by name (§6.4). */
  readonly interviewers?: readonly PluginInterviewer[];
  /** Backends of LLM stages, to be chosen by name (§4.5). */
  readonly backends?: readonly PluginBackend[];
}

/** A plugin that depends on the `options` which the configuration file gives it. */
export type PluginFactory = (options: JsonValue | undefined) => Plugin | Promise<Plugin>;

/** Handler type: its `type` attribute, its description for lint and pictures, and its implementation. */
export interface PluginHandler extends HandlerDescription {
  readonly type: string;
  readonly handler: Handler;
}

/** An interviewer that `--interviewer NAME` chooses; made when a run begins. */
export interface PluginInterviewer {
  readonly name: string;
  create(environment: PluginEnvironment): Awaitable<Interviewer & Closable>;
}

/** A backend that `--backend NAME` chooses; made when an LLM stage may need it. */
export interface PluginBackend {
  readonly name: string;
  create(environment: PluginEnvironment): Awaitable<CodergenBackend & Closable>;
}

/** Environment in which an interviewer or a backend is made. */
export interface PluginEnvironment {
  /** Directory in which the run was started; tools run there. */
  readonly workingDirectory: string;
}

/** Something that holds a connection, a window or a process. */
export interface Closable {
  /** Called once, when the run has ended or paused, so that the process can end. */
  close?(): Awaitable<void>;
}

type Awaitable<Value> = Value | Promise<Value>;

/** Returns its argument: for the types, in an editor and in TypeScript. */
export function definePlugin<Defined extends Plugin | PluginFactory>(plugin: Defined): Defined {
  return plugin;
}

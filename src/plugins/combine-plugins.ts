import { handlerTypeNamed } from '../graph/handler-types.js';
import type { LintRule } from '../lint/rule.js';
import { builtInRuleIds } from '../lint/rule-settings.js';
import { RunError } from '../run-directory/run-error.js';
import type { Transform } from '../transforms/transform.js';
import { guardRule, guardTransform } from './guard.js';
import type { LoadedPlugin } from './load-plugins.js';
import type { PluginBackend, PluginHandler, PluginInterviewer } from './plugin.js';

/** Contributions of several plugins together. */
export interface Extensions {
  readonly handlers: readonly PluginHandler[];
  readonly transforms: readonly Transform[];
  readonly rules: readonly LintRule[];
  readonly interviewers: ReadonlyMap<string, PluginInterviewer>;
  readonly backends: ReadonlyMap<string, PluginBackend>;
  /** Notices for the user before a run begins. */
  readonly notices: readonly string[];
}

/** Names that the command line has itself, which a plugin cannot take. */
export interface ReservedNames {
  readonly interviewers: ReadonlySet<string>;
  readonly backends: ReadonlySet<string>;
}

/**
 * Combines plugins in their order. One may replace a built-in handler (§4.2), which adds a notice.
 * @throws RunError `usage` where two of them, or one and the language, mean different things by one name
 */
export function combinePlugins(plugins: readonly LoadedPlugin[], reserved: ReservedNames): Extensions {
  const all = plugins.map(({ plugin }) => plugin);
  const handlers = byName(plugins, 'handler type', ({ handlers: list = [] }) =>
    list.map((entry) => [entry.type, entry] as const),
  );
  const rules = byName(
    plugins,
    'lint rule',
    ({ name, rules: list = [] }) => list.map((rule) => [rule.name, guardRule(rule, name)] as const),
    builtInRuleIds,
  );
  return {
    handlers: [...handlers.values()],
    transforms: all.flatMap(({ name, transforms = [] }) =>
      transforms.map((transform, index) => guardTransform(transform, name, index)),
    ),
    rules: [...rules.values()],
    interviewers: byName(
      plugins,
      'interviewer',
      ({ interviewers = [] }) => interviewers.map((entry) => [entry.name, entry] as const),
      reserved.interviewers,
    ),
    backends: byName(
      plugins,
      'backend',
      ({ backends = [] }) => backends.map((entry) => [entry.name, entry] as const),
      reserved.backends,
    ),
    notices: all.flatMap(({ name, handlers: list = [] }) =>
      list.flatMap((entry) => replacement(name, entry)),
    ),
  };
}

function replacement(
  plugin: string,
  { type, handler: _handler, ...entry }: PluginHandler,
): readonly string[] {
  if (handlerTypeNamed(type) === undefined) return [];
  const described = Object.entries(entry).find(([, value]) => value !== undefined);
  if (described !== undefined) {
    throw new RunError(
      'usage',
      `the plugin "${plugin}" replaces the handler of \`${type}\`, which is built in: its "${described[0]}" cannot be changed. Omit it, or choose another name for the type`,
    );
  }
  return [`the plugin "${plugin}" replaces the built-in handler of \`${type}\``];
}

function byName<Entry>(
  plugins: readonly LoadedPlugin[],
  what: string,
  entriesOf: (plugin: LoadedPlugin['plugin']) => readonly (readonly [string, Entry])[],
  reserved: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const owners = new Map<string, LoadedPlugin>();
  for (const loaded of plugins) {
    for (const [name, entry] of entriesOf(loaded.plugin)) {
      const owner = owners.get(name);
      if (reserved.has(name)) throw taken(what, name, loaded, 'is built in');
      if (owner === loaded) throw taken(what, name, loaded, 'is in it twice');
      if (owner !== undefined) {
        throw taken(what, name, loaded, `is also in the plugin "${owner.plugin.name}" (${owner.file})`);
      }
      owners.set(name, loaded);
      entries.set(name, entry);
    }
  }
  return entries;
}

function taken(what: string, name: string, { plugin, file }: LoadedPlugin, why: string): RunError {
  return new RunError(
    'usage',
    `the ${what} "${name}" of the plugin "${plugin.name}" (${file}) ${why}. Give one of them another name`,
  );
}

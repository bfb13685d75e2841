import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';
import type { NamedProperty } from '../graph/properties/monitor.js';
import { readNamed } from '../graph/properties/property-list.js';
import { entriesOf } from '../handlers/entries-of.js';

/**
 * Part of `manifest.json` with the plugins with which a run was started, so that resuming it finds them
 * again. @internal
 */
export const extensionRecord: z.ZodType<ExtensionRecord> = z.object({
  plugins: z.array(z.object({ module: z.string(), options: z.custom<JsonValue>().optional() })),
  backend: z.string().optional(),
  interviewer: z.string().optional(),
  configuration: z.string().optional(),
  user_configuration: z.string().optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  rules: entriesOf(z.enum(['off', 'info', 'warning', 'error'])).transform((rules) =>
    Object.fromEntries(rules),
  ),
  properties: z
    .array(z.object({ name: z.string(), text: z.string(), origin: z.enum(['file', 'configuration']) }))
    .optional(),
});

/**
 * Plugins and the configuration files by their absolute paths, the chosen names, and the settings of rules.
 */
export interface ExtensionRecord {
  readonly plugins: readonly { readonly module: string; readonly options?: JsonValue }[];
  readonly backend?: string;
  readonly interviewer?: string;
  readonly configuration?: string;
  /** The one that the user keeps for all pipelines. */
  readonly user_configuration?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly rules: Readonly<Record<string, 'off' | 'info' | 'warning' | 'error'>>;
  /** Properties from outside of the pipeline, which hold for the run whatever their files say later (SEMANTICS 144). */
  readonly properties?: readonly RecordedProperty[];
}

export interface RecordedProperty {
  readonly name: string;
  readonly text: string;
  readonly origin: 'file' | 'configuration';
}

/** Properties as a manifest keeps them; those of the pipeline are in its text. */
export function recordedProperties(
  properties: readonly NamedProperty[],
): readonly RecordedProperty[] | undefined {
  if (properties.length === 0) return undefined;
  return properties.flatMap(({ name, text, origin }) =>
    origin === 'pipeline' ? [] : [{ name, text, origin }],
  );
}

/** Properties with which a run was started, besides those of its pipeline; then others, of other names, that are given now. */
export function propertiesOfRecord(
  record: Pick<ExtensionRecord, 'properties'> | undefined,
  given: readonly NamedProperty[] = [],
): readonly NamedProperty[] {
  const recorded = (record?.properties ?? []).flatMap(({ name, text, origin }) => {
    const read = readNamed(name, text, origin);
    return 'message' in read ? [] : [read];
  });
  return [...recorded, ...given.filter(({ name }) => recorded.every((one) => one.name !== name))];
}

/** Record of a run that is held to properties. */
export function recordWith(
  record: ExtensionRecord | undefined,
  properties: readonly NamedProperty[],
): ExtensionRecord | undefined {
  if (record === undefined && properties.length === 0) return undefined;
  return { ...(record ?? { plugins: [], rules: {} }), properties: recordedProperties(properties) };
}

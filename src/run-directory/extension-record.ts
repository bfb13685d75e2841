import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';
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

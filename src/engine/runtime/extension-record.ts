import { z } from 'zod';
import type { JsonValue } from '../../graph/json.js';
import { entriesOf } from './entries-of.js';

/** The parts of `manifest.json` that say with which plugins a run was started, so that resuming it finds them again. */
export const extensionRecord = z.object({
  plugins: z.array(z.object({ module: z.string(), options: z.custom<JsonValue>().optional() })),
  backend: z.string().optional(),
  interviewer: z.string().optional(),
  rules: entriesOf(z.enum(['off', 'info', 'warning', 'error'])).transform((rules) =>
    Object.fromEntries(rules),
  ),
});

/** Plugins by the absolute path of their module, the names that were chosen, and the settings of rules. */
export type ExtensionRecord = z.infer<typeof extensionRecord>;

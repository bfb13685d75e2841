import type { Manifest } from '../run-directory/manifest.js';

/** What whoever resumes a run may say otherwise. */
interface Repeatable {
  readonly simulate?: boolean;
  readonly autoApprove?: boolean;
  readonly strictValues?: boolean;
  readonly customOutcomes?: boolean;
  readonly record?: boolean;
}

/** What a run was started with goes on (DESIGN §4), unless whoever resumes it says otherwise. */
export function optionsAsBefore<Options extends Repeatable>(
  options: Options,
  { options: before }: Manifest,
): Options & Required<Repeatable> {
  return {
    ...options,
    simulate: options.simulate ?? before.simulate,
    autoApprove: options.autoApprove ?? before.auto_approve,
    strictValues: options.strictValues ?? before.strict_values ?? false,
    record: options.record ?? before.record ?? false,
    customOutcomes: options.customOutcomes ?? before.custom_outcomes ?? false,
  };
}

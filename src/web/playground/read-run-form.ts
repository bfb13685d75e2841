import {
  checkDeclaredInputs,
  type DeclaredInputs,
  type Inputs,
  readInputTexts,
} from '../../graph/values/declared-inputs.js';
import type { Submission } from '../../server/api/run.js';
import { readBudgets } from '../actions/read-budgets.js';
import { readAssignments } from '../simulator/read-assignments.js';

/** Fields of the form for a run. */
export interface RunForm {
  readonly simulate: boolean;
  readonly autoApprove: boolean;
  /** `key=value` lines, for a pipeline that declares no inputs. */
  readonly inputs: string;
  /** Texts by declared input (SEMANTICS 101). */
  readonly declaredInputs: ReadonlyMap<string, string>;
  readonly budgetUsd: string;
  readonly stageBudgets: string;
  readonly maxSteps: string;
  readonly backend: string;
}

export const emptyRunForm: RunForm = {
  simulate: false,
  autoApprove: false,
  inputs: '',
  declaredInputs: new Map(),
  budgetUsd: '',
  stageBudgets: '',
  maxSteps: '',
  backend: '',
};

export type ReadRunForm =
  | { readonly kind: 'submission'; readonly submission: Submission }
  | { readonly kind: 'problem'; readonly message: string };

/** Request to the server (§9.5), or a message about a wrong field. */
export function readRunForm(form: RunForm, dot: string, declared: DeclaredInputs | undefined): ReadRunForm {
  const inputs = readInputFields(form, declared);
  if (typeof inputs === 'string') return problem(inputs);
  const budgets = readBudgets({ budget: form.budgetUsd, stageBudgets: form.stageBudgets });
  if (typeof budgets === 'string') return problem(budgets);
  const steps = numberIn(form.maxSteps);
  if (steps !== undefined && !(Number.isSafeInteger(steps) && steps > 0))
    return problem(`The number of stages is "${form.maxSteps}"; expected a whole number of at least 1.`);
  return {
    kind: 'submission',
    submission: {
      dot,
      simulate: form.simulate || undefined,
      auto_approve: form.autoApprove || undefined,
      inputs: Object.keys(inputs).length > 0 ? (inputs as NonNullable<Submission['inputs']>) : undefined,
      ...budgets,
      max_steps: steps,
      backend: form.backend || undefined,
    },
  };
}

/** The inputs that were filled in, or what is wrong with them. */
export function readInputFields(
  form: Pick<RunForm, 'inputs' | 'declaredInputs'>,
  declared: DeclaredInputs | undefined,
): Inputs | string {
  if (declared === undefined) {
    const inputs = readAssignments(form.inputs);
    return typeof inputs === 'string' ? `Inputs: ${inputs}.` : Object.fromEntries(inputs);
  }
  const inputs = readInputTexts(givenTexts(form.declaredInputs, declared), declared);
  const [first] = checkDeclaredInputs(inputs, declared);
  return first === undefined ? inputs : `${first.input}: ${first.message}.`;
}

/** An empty field is not given, except that a required text is empty then. */
function givenTexts(
  texts: ReadonlyMap<string, string>,
  declared: DeclaredInputs,
): readonly (readonly [string, string])[] {
  return [...declared.values()].flatMap(({ key, type, isOptional, default: literal }) => {
    const text = texts.get(key) ?? '';
    const isEmptyText = type?.kind === 'string' && !isOptional && literal === undefined;
    return text === '' && !isEmptyText ? [] : [[key, text] as const];
  });
}

/** NaN where it is not a number. */
function numberIn(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text.trim().replace(',', '.'));
}

function problem(message: string): ReadRunForm {
  return { kind: 'problem', message };
}

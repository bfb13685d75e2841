import {
  checkDeclaredInputs,
  declaredInputs,
  type InputProblem,
  withDefaultInputs,
} from '../../../graph/values/declared-inputs.js';
import type { CheckFinding, PreflightCheck } from '../preflight-check.js';

/** SEMANTICS 101: the inputs of the call fit those that the pipeline declares. */
export const input: PreflightCheck = {
  id: 'input',
  summary: 'An input is missing, has the wrong type, or is not declared.',
  isAboutRealWork: false,
  isAboutMachine: false,
  *find({ graph, inputs }) {
    const declared = declaredInputs(graph);
    const isGiven = inputs !== undefined;
    const problems = checkDeclaredInputs(withDefaultInputs(inputs ?? {}, declared), declared);
    for (const problem of problems) yield isGiven ? refused(problem) : wanted(problem);
  },
};

function refused({ input: name, kind, message }: InputProblem): CheckFinding {
  const help = kind === 'missing' ? `pass it: --set ${name}=VALUE` : undefined;
  return { severity: 'error', message: `input "${name}": ${message}`, help };
}

/** An input that the call of a run will have to give. */
function wanted({ input: name, message }: InputProblem): CheckFinding {
  const [expected = message] = message.split(', but');
  return {
    severity: 'info',
    message: `a run needs the input "${name}": ${expected}`,
    help: `pass it to the run: --set ${name}=VALUE`,
  };
}

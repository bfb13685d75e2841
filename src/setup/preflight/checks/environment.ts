import { unsetVariables } from '../../../run/check-inputs.js';
import { type CheckFinding, type PreflightCheck, type PreflightRun, stagesOf } from '../preflight-check.js';

/** SEMANTICS 101: the environment has the variables that `env_requires` names, in children too. */
export const environment: PreflightCheck = {
  id: 'environment',
  summary: 'A variable that `env_requires` names is not set.',
  isAboutRealWork: true,
  isAboutMachine: true,
  *find(run) {
    const requiring = new Map<string, string[]>();
    for (const { prefix, graph } of run.pipelines) {
      for (const name of unsetVariables(graph, {}))
        requiring.set(name, [
          ...(requiring.get(name) ?? []),
          ...(prefix === '' ? [] : [prefix.slice(0, -1)]),
        ]);
    }
    for (const [name, stages] of requiring) {
      const found = problemWith(name, run);
      if (found !== undefined) yield { ...found, stages };
    }
  },
};

function problemWith(name: string, run: PreflightRun): CheckFinding | undefined {
  if ((run.variables[name] ?? '') === '')
    return {
      severity: 'error',
      message: `$${name}, which \`env_requires\` names, is not set`,
      help: `set it in the environment, or with \`export ${name}=VALUE\` in the key file`,
    };
  const isHidden = run.hiddenVariables?.has(name) === true;
  if (!isHidden || !stagesOf(run).some(({ handler }) => handler.runsCommand)) return undefined;
  return {
    severity: 'warning',
    message: `$${name}, which \`env_requires\` names, is in the key file without \`export\`, so tools do not see it`,
    help: `write \`export ${name}=VALUE\` there`,
  };
}

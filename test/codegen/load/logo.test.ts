import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { loadService } from '../../../codegen/load/index.ts';
import { jpegHeadOf, pngOf } from '../../support/images.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../golden/minimal/specs/notes');

const roots: string[] = [];
afterEach(async () => {
  for (const root of roots.splice(0)) await rm(root, { recursive: true, force: true });
});

async function load(name: string, bytes: Buffer | string | null) {
  const root = await mkdtemp(path.join(tmpdir(), 'logo-'));
  roots.push(root);
  const folder = path.join(root, 'specs/notes');
  await cp(EXAMPLE, folder, { recursive: true });
  await writeFile(path.join(folder, 'connector.yaml'), `title: Notes\nlogo: ${name}\n`);
  if (bytes !== null) await writeFile(path.join(folder, path.basename(name)), bytes);
  const { logo, problems } = await loadService({ root, service: 'notes' });
  return { folder, type: logo?.type, said: problems.map(({ code, message }) => `${code} ${message}`) };
}

describe('the logo of a service', () => {
  test.each<[string, Buffer | string]>([
    ['image/png', pngOf(4, 4)],
    ['image/jpeg', jpegHeadOf(4, 4)],
    ['image/gif', Buffer.from('GIF89a........')],
    ['image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
  ])('is recognised as %s by its bytes, whatever its name is', async (type, bytes) => {
    expect(await load('logo.txt', bytes)).toMatchObject({ type, said: [] });
  });

  test.each<[string, string, Buffer | string | null, string]>([
    [
      'an HTML page',
      'logo.png',
      '<svg onload="alert(1)"/>',
      'config-logo logo.png is not a PNG, JPEG, WebP or GIF image.',
    ],
    ['missing', 'logo.png', null, 'config-logo logo.png does not exist.'],
    ['too large', 'logo.png', Buffer.alloc(65_537), 'config-logo logo.png has 65537 bytes; at most 65536 are read.'],
    [
      'outside the folder',
      '../logo.png',
      pngOf(4, 4),
      'config-invalid "logo" is "../logo.png": must be the name of a file next to connector.yaml',
    ],
  ])('is rejected where it is %s', async (_, name, bytes, expected) => {
    const { type, said } = await load(name, bytes);
    expect(type).toBeUndefined();
    expect(said.join('\n')).toContain(expected);
  });

  test('is never read through a link out of the folder', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'logo-'));
    roots.push(root);
    const folder = path.join(root, 'specs/notes');
    await cp(EXAMPLE, folder, { recursive: true });
    await writeFile(path.join(root, 'secret.png'), pngOf(4, 4));
    await writeFile(path.join(folder, 'connector.yaml'), 'logo: logo.png\n');
    await symlink(path.join(root, 'secret.png'), path.join(folder, 'logo.png'));
    const { logo, problems } = await loadService({ root, service: 'notes' });
    expect(logo).toBeNull();
    expect(problems.map(({ message }) => message)).toEqual(['logo.png lies outside specs/notes/.']);
  });
});

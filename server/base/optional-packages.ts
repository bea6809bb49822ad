/** Packages that are loaded only where a setting asks for them: optional peers, which an installation may leave out. */

import manifest from '../../package.json' with { type: 'json' };

/** A setting needs packages that are not installed. The message names the command that installs them. */
export class MissingPackagesError extends Error {
  override readonly name = 'MissingPackagesError';
}

/**
 * Loads code that imports optional peers.
 *
 * @param needs the setting that asks for it, and the scope of the packages, such as `@redis/`.
 * @throws {MissingPackagesError} if one is not installed.
 */
export async function loadWithPeers<Loaded>(
  { setting, scope }: { readonly setting: string; readonly scope: string },
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${scope}`)) throw error;
    const peers = Object.entries(manifest.peerDependencies).filter(([name]) => name.startsWith(scope));
    const command = `npm i ${peers.map(([name, version]) => `${name}@${version}`).join(' ')}`;
    throw new MissingPackagesError(`${setting} needs what is not installed. Run this in the project:\n  ${command}`);
  }
}

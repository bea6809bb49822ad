/** The settings that can be changed on a running authorization server. */

import { z } from 'zod';

/** Every setting and what it does; `--help` and `GET /__sandbox` print this. */
export const OAUTH_SETTINGS = {
  accessTokenSeconds: 'how long new access tokens live; null: as the connector says, else 3600',
  refreshToken:
    '"new": each refresh gives another one and ends the old (default); "same": answers repeat it; ' +
    '"kept": answers of refreshes leave it out; "never": there is none',
  reuseRevokes: 'whether an old refresh token revokes the whole grant (default true)',
  saysExpiresIn: 'whether answers state the lifetime of the access token (default true)',
  clockSkewSeconds: 'added to the lifetime that answers state; the real one stays (default 0)',
  cutsOpener: 'whether the authorize page cuts a popup from its opener (default false)',
} as const;

const settingsSchema = z.strictObject({
  accessTokenSeconds: z.number().min(0).max(1e9).nullable(),
  refreshToken: z.enum(['new', 'same', 'kept', 'never']),
  reuseRevokes: z.boolean(),
  saysExpiresIn: z.boolean(),
  clockSkewSeconds: z.int().min(-1e9).max(1e9),
  cutsOpener: z.boolean(),
});

/** The body of `POST /__sandbox/oauth`: settings, for one service or for all. */
export const oauthChangeSchema = settingsSchema.partial().extend({ service: z.string().optional() });

export type OAuthSettings = z.output<typeof settingsSchema>;
export type OAuthChange = Omit<z.output<typeof oauthChangeSchema>, 'service'>;

/** The settings after a change. @throws {z.ZodError} */
export function changeSettings(settings: OAuthSettings, change: OAuthChange): OAuthSettings {
  const named = Object.entries(change).filter(([, value]) => value !== undefined);
  return settingsSchema.parse({ ...settings, ...Object.fromEntries(named) });
}

export const DEFAULT_OAUTH_SETTINGS: OAuthSettings = {
  accessTokenSeconds: null,
  refreshToken: 'new',
  reuseRevokes: true,
  saysExpiresIn: true,
  clockSkewSeconds: 0,
  cutsOpener: false,
};

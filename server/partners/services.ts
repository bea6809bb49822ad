/** The services that the partner may offer, their tools, and the credentials that they need. */

import { z } from 'zod';
import { kindsOf, oauth2PartOf, typeOf } from '../base/credentials/kinds.ts';
import { monogramOf, serviceLogoPathOf } from '../base/pages/brand.ts';
import { mayOffer } from '../base/store/repositories/partners.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import { scopesToAskFor } from '../call/upstream/oauth/scopes.ts';
import type { Connector, CredentialKind, ToolFace } from '../contract/index.ts';
import { operation } from './operation.ts';
import { next, pageOf, toPage } from './shapes.ts';

const SERVICE_NAME = /^[A-Za-z0-9_-]{1,100}$/;

/** The kind of a connection's credential. */
export const credentialType = z.enum(['none', 'key', 'basic', 'oauth2']).meta({ id: 'CredentialType' });

const credentialKind = z
  .object({
    label: z.string(),
    type: credentialType,
    help: z.string().meta({ description: 'Where the user finds the credential.' }),
    url: z.string().nullable(),
    scopes: z
      .array(z.string())
      .nullable()
      .meta({ description: 'What the user is asked for at the service. Null: it is not `oauth2`.' }),
    values: z
      .array(z.object({ field: z.string(), label: z.string(), pattern: z.string().nullable() }))
      .optional()
      .meta({ description: 'What is no secret, such as the tenant: a connect session may give it in `values`.' }),
  })
  .meta({ id: 'CredentialKind' });

const tool = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    hints: z.object({
      read_only: z.boolean(),
      destructive: z.boolean(),
      idempotent: z.boolean(),
      open_world: z.boolean(),
    }),
    scopes: z.array(z.array(z.string())).meta({
      description: 'Scopes of the service that an `oauth2` connection needs, as alternatives. Each is needed whole.',
    }),
  })
  .meta({ id: 'Tool' });

const service = z
  .object({
    service: z.string().meta({ description: 'Names the service in paths and queries.' }),
    title: z.string(),
    description: z.string(),
    logo_text: z.string().meta({ description: 'One or two letters, for where there is no logo.' }),
    logo_url: z.string().nullable().meta({
      format: 'uri',
      description:
        "The service's logo, for your own pages too. Another image has another address. Null where there is none.",
    }),
    categories: z.array(z.string()),
    credentials: z
      .array(credentialKind)
      .meta({ minItems: 1, description: 'Kinds of credential, of which a user chooses one; the preferred first.' }),
    tools: z.array(tool),
  })
  .meta({ id: 'Service' });

export const SERVICE_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/services',
      id: 'listServices',
      summary: 'What the partner may offer, by name.',
      query: pageOf(SERVICE_NAME),
      answers: { 200: 'The services.' },
      answer: z.object({ services: z.array(service), next }),
    },
    async ({ partner, query: { cursor = '', limit } }, { catalogue, publicUrl }) => {
      const services = catalogue.connectors.filter(({ name }) => name > cursor && mayOffer(partner, name));
      const page = toPage(services, limit, ({ name }) => name);
      return { services: page.rows.map((each) => describeService(each, catalogue, publicUrl)), next: page.next };
    },
  ),
];

function describeService(connector: Connector, catalogue: Catalogue, publicUrl: string) {
  const logoPath = serviceLogoPathOf(connector);
  const tools = catalogue.toolsOf(connector);
  return {
    ...connector,
    service: connector.name,
    logoText: monogramOf(connector.title),
    logoUrl: logoPath === null ? null : publicUrl + logoPath,
    credentials: kindsOf(connector.credential).map((kind) => describeKind(kind, tools)),
    tools: tools.map(describeTool),
  };
}

function describeKind(kind: CredentialKind, tools: readonly ToolFace[]) {
  const oauth2 = oauth2PartOf(kind)?.oauth2;
  const scopes = oauth2 === undefined ? null : scopesToAskFor({ tools }, oauth2);
  const values = kind.parts.flatMap((part) =>
    part.type !== 'oauth2' && part.isPublic === true
      ? [{ field: part.id, label: part.label, pattern: part.pattern ?? null }]
      : [],
  );
  return { ...kind, type: typeOf(kind), scopes, values: values.length === 0 ? null : values };
}

function describeTool({ annotations, scopes = [], ...tool }: ToolFace) {
  const hints = {
    readOnly: annotations.readOnlyHint,
    destructive: annotations.destructiveHint,
    idempotent: annotations.idempotentHint,
    openWorld: annotations.openWorldHint,
  };
  return { ...tool, hints, scopes };
}

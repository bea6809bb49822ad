/**
 * Skills: reviewed texts that say how the tools of a service are used together, served as the extension `io.modelcontextprotocol/skills` has
 * it (SEP-2640, stable specification of September 2026), and as ordinary resources to clients without it.
 */

import { hash } from 'node:crypto';
import type { Principal } from '../../base/principal/principal.ts';
import { McpError } from '../../call/mcp/additions.ts';
import { INVALID_PARAMS } from '../../call/mcp/json-rpc.ts';
import { checkCursor, NOT_CACHED } from '../../call/mcp/resources.ts';
import { addressOfSkill } from '../../call/tools/catalogue/provenance.ts';
import type { Connector, Skill } from '../../contract/index.ts';
import { defineModule } from '../../module.ts';

const EXTENSION = 'io.modelcontextprotocol/skills';
const PREFIX = 'skill://';
const MAIN = 'SKILL.md';
const MARKDOWN = 'text/markdown';

/** One skill, as every client that may use it gets it. */
interface ServedSkill {
  readonly tools: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
  /** `Skill` of the extension. */
  readonly entry: {
    readonly uri: string;
    readonly frontmatter: Skill['frontmatter'];
    readonly resources: readonly object[];
  };
  /** MCP `Resource`. */
  readonly resource: Readonly<Record<'uri' | 'name' | 'description' | 'mimeType', string>> & { readonly size: number };
}

export const skills = defineModule({
  name: 'skills',
  summary: 'Offers skills: texts that say how the tools of a service are used together for a task.',
  open({ connectors, catalogue }) {
    const all = connectors.flatMap(toServed);
    if (all.length === 0) return {};
    const of = (principal: Principal): readonly ServedSkill[] => {
      const tools = new Set(catalogue.names(principal));
      return all.filter((skill) => skill.tools.every((tool) => tools.has(tool)));
    };
    return {
      mcp: {
        capabilities: { extensions: { [EXTENSION]: {} } },
        methods: {
          'skills/list': async (principal, { cursor }) => {
            checkCursor(cursor);
            return { skills: of(principal).map(({ entry }) => entry), ...NOT_CACHED };
          },
          'skills/get': async (principal, { uri }) => {
            const skill = of(principal).find(({ entry }) => entry.uri === uri);
            if (skill !== undefined) return { skill: skill.entry, ...NOT_CACHED };
            const message = 'No skill is served at this URI, or not all tools that it needs are allowed here.';
            throw new McpError(INVALID_PARAMS, message, { uri });
          },
        },
      },
      resources: {
        prefix: PREFIX,
        list: (principal) => of(principal).map(({ resource }) => resource),
        async read(principal, uri) {
          const text = of(principal)
            .find(({ texts }) => texts.has(uri))
            ?.texts.get(uri);
          return text === undefined ? undefined : { mimeType: MARKDOWN, text };
        },
      },
    };
  },
});

function toServed({ name: service, skills: own = {} }: Connector): ServedSkill[] {
  return Object.entries(own).map(([name, { frontmatter, tools, files }]) => {
    const uriOf = (file: string) => `${addressOfSkill(service, name)}/${file}`;
    const texts = new Map(Object.entries(files).map(([file, text]) => [uriOf(file), text]));
    const uri = uriOf(MAIN);
    const resources = [...texts].map(([file, text]) => ({
      uri: file,
      digest: `sha256:${hash('sha256', text)}`,
      size: Buffer.byteLength(text),
    }));
    const size = Buffer.byteLength(texts.get(uri) ?? '');
    const resource = { uri, name, description: frontmatter.description, mimeType: MARKDOWN, size };
    return { tools, texts, entry: { uri, frontmatter, resources }, resource };
  });
}

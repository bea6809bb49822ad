/** The configuration that an MCP client takes for a static access token. */

/** The `mcpServers` object of MCP clients. `url` is that of the MCP endpoint. */
export function toClientConfiguration(server: { url: string; token: string }): object {
  return {
    mcpServers: {
      'unified-tool-gateway': {
        type: 'http',
        url: server.url,
        headers: { Authorization: `Bearer ${server.token}` },
      },
    },
  };
}

/** Sends one JSON-RPC message to a gateway, as a client of 2025 does. */

export function postRpc(
  { url, token }: { readonly url: string; readonly token: string },
  method: string,
  params?: unknown,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

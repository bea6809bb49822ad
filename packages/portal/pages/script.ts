/** The script of the portal's pages. Every page works without it: times are in UTC, texts are selected by hand, and connecting uses the whole page. */

export const PAGE_SCRIPT = `
{
  const all = (selector) => document.querySelectorAll(selector);
  const local = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short' });
  for (const time of all('time[datetime*=T]')) {
    const utc = time.textContent.replace(' UTC', '');
    time.title = utc + ' UTC';
    time.textContent = local.format(new Date(time.dateTime)).slice(-utc.length);
  }

  const status = document.getElementById('copied');
  for (const text of all('[data-copy]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'plain';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', 'Copy ' + text.dataset.copy);
    button.addEventListener('click', async () => {
      button.removeAttribute('aria-label');
      try {
        await navigator.clipboard.writeText(text.textContent);
        status.textContent = button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(text);
        status.textContent = button.textContent = 'Selected: copy it with the keyboard';
      }
    });
    text.after(' ', button);
  }

  for (const code of all('[data-expires-in]')) {
    const end = performance.now() + code.dataset.expiresIn * 1000;
    const left = code.querySelector('.left');
    const timer = setInterval(show, 1000);
    function show() {
      const seconds = Math.ceil((end - performance.now()) / 1000);
      left.textContent = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0') + ' left';
      if (seconds > 0) return;
      clearInterval(timer);
      code.textContent = 'This code has expired. Get another one.';
    }
    show();
  }

  for (const form of all('form[data-connect]')) {
    form.addEventListener('submit', (event) => {
      if (window.UnifiedToolGateway === undefined) return;
      event.preventDefault();
      connect(form).catch(() => location.reload());
    });
  }

  async function connect(form) {
    const body = new URLSearchParams(new FormData(form));
    body.set('in', 'frame');
    const answer = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'application/json' } });
    if (!answer.ok || answer.redirected) return location.assign(answer.redirected ? answer.url : '/services');
    const { connect_url: url, state } = await answer.json();
    const finish = (query) => location.assign('/services/connected?' + new URLSearchParams({ ...query, state }));
    try {
      const { code } = await UnifiedToolGateway.connectInFrame(url, { state });
      finish({ code });
    } catch (error) {
      if (error.code === 'frame_refused') location.assign(url);
      else if (error.code !== 'closed') finish({ error: error.code });
    }
  }
}
`;

// Runs in an isolated world beside the page: it sees the page's elements, but not the changes that the
// page's scripts made to the platform. Its value is an object of functions.
(() => {
  const listened = new WeakMap();

  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width >= 2 && box.height >= 2 && getComputedStyle(element).visibility === 'visible';
  };

  // Whether the user can use an element.
  const usable = (element) => shown(element) && getComputedStyle(element).pointerEvents !== 'none' && !element.disabled;

  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };

  // Whether an input at a point reaches an element: itself, something in it, or its label.
  const reaches = ({ x, y }, element) => {
    let at = document.elementFromPoint(x, y);
    for (let root = at?.shadowRoot; root; root = at.shadowRoot) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === at) break;
      at = inner;
    }
    if (at?.closest('label')?.control === element) return true;
    for (; at; at = at.parentNode ?? at.host) if (at === element) return true;
    return false;
  };

  // Where each element was when it was last aimed at.
  const aimed = new WeakMap();

  // The shortest path of tags and positions below an id that is the element's alone.
  const selector = (element) => {
    const parts = [];
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      const id = at.id && `#${CSS.escape(at.id)}`;
      if (id && document.querySelectorAll(id).length === 1) {
        parts.unshift(id);
        return parts.join(' > ');
      }
      const tag = at.localName;
      const same = [...(at.parentElement?.children ?? [])].filter((e) => e.localName === tag);
      parts.unshift(same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(at) + 1})` : tag);
    }
    return parts.join(' > ');
  };

  const isText = (element) =>
    element.localName === 'textarea' ||
    element.isContentEditable ||
    (element.localName === 'input' &&
      !/^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/.test(element.type));

  const hears = (element, pattern) => (listened.get(element) ?? []).some((t) => pattern.test(t));

  // Whether a link leads to the page's own origin or runs code.
  const leads = (link) =>
    link.protocol === 'javascript:' || (link.href && link.origin === location.origin && !link.hasAttribute('download'));

  const steps = (element) => {
    const found = [];
    const tag = element.localName;
    const clicked = () =>
      tag === 'button' ||
      tag === 'summary' ||
      element.getAttribute('role') === 'button' ||
      element.hasAttribute('onclick') ||
      (tag === 'input' && /^(button|checkbox|image|radio|reset|submit)$/.test(element.type)) ||
      (tag === 'a' && leads(element)) ||
      hears(element, /^(click|dblclick|mousedown|mouseup|pointerdown|pointerup|touchstart)$/);
    if (isText(element)) {
      found.push('type');
      if (element.form) found.push('submit');
    } else if (tag === 'select') {
      if (element.options.length > 1) found.push('select');
    } else if (clicked()) {
      found.push('click');
    }
    if (hears(element, /^(mouseover|mouseenter|mousemove|pointerover|pointerenter|pointermove)$/)) found.push('hover');
    return found;
  };

  // What a person can observe of the document: [path, value] for the attributes and texts of its elements and the
  // values of its fields, what was typed, and the storage, the address and the focus.
  const snapshot = () => {
    const seen = { document: [], fields: [], storage: [] };
    const walk = (element, path) => {
      const tag = element.localName;
      if (tag === 'script' || tag === 'style') return;
      for (const { name, value } of [...element.attributes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const tokens = name === 'class' ? value.split(/\s+/).filter(Boolean).sort().join(' ') : value;
        seen.document.push([`${path} @${name}`, tokens]);
      }
      const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const words = text
        .map((node) => node.data.trim())
        .filter(Boolean)
        .join(' ');
      if (words) seen.document.push([`${path} text`, words]);
      if (tag === 'input' || tag === 'textarea' || tag === 'select') {
        const isBox = tag === 'input' && /^(checkbox|radio)$/.test(element.type);
        const value = isBox ? String(element.checked) : element.type === 'password' ? '' : element.value;
        seen.document.push([`${path} value`, value]);
        const isTyped = isBox ? element.checked !== element.defaultChecked : element.value !== element.defaultValue;
        if (tag !== 'select' && isTyped) seen.fields.push([path, value]);
      }
      if (getComputedStyle(element).display === 'none') seen.document.push([`${path} display`, 'none']);
      const counts = {};
      for (const child of [...element.children, ...(element.shadowRoot?.children ?? [])]) {
        const name = child.localName;
        counts[name] = (counts[name] ?? 0) + 1;
        walk(child, child.id ? `${name}#${child.id}` : `${path}>${name}:${counts[name]}`);
      }
    };
    walk(document.documentElement, 'html');
    const keep = (name, storage) => {
      for (const key of Object.keys(storage).sort()) seen.storage.push([`${name}[${key}]`, storage.getItem(key)]);
    };
    try {
      keep('localStorage', localStorage);
      keep('sessionStorage', sessionStorage);
      for (const part of document.cookie.split('; ').filter(Boolean))
        seen.storage.push([`cookie[${part.split('=')[0]}]`, part.split('=').slice(1).join('=')]);
    } catch {
      // The page has no storage.
    }
    seen.storage.push(['address', location.href]);
    const { activeElement } = document;
    seen.storage.push(['focus', activeElement && activeElement !== document.body ? selector(activeElement) : '']);
    seen.storage.push(['title', document.title]);
    return seen;
  };

  return {
    snapshot,
    // The state of an element: invalid (no selector), none, hidden, or there.
    find(text) {
      try {
        const element = document.querySelector(text);
        return { state: element ? (shown(element) ? 'there' : 'hidden') : 'none' };
      } catch {
        return { state: 'invalid' };
      }
    },
    // The state of an element that is to be used, and its middle. It is `covered` if an input there reaches
    // something else, and `moving` if it was elsewhere, or was not asked for, when this was last called. An
    // element that no input reaches is scrolled into view; others stay where they are, as they do for a user.
    locate(text) {
      let element;
      try {
        element = document.querySelector(text);
      } catch {
        return { state: 'invalid' };
      }
      if (!element) return { state: 'none' };
      if (!usable(element)) return { state: 'hidden' };
      if (!reaches(middle(element), element))
        element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const at = middle(element);
      const before = aimed.get(element);
      aimed.set(element, at);
      const isStill = before && before.x === at.x && before.y === at.y;
      return { state: !reaches(at, element) ? 'covered' : isStill ? 'there' : 'moving', ...at };
    },
    // The name of a field whose value is a secret, or null.
    secret(text) {
      const field = document.querySelector(text);
      if (field?.localName !== 'input') return null;
      const isSecret =
        field.type === 'password' ||
        /(^|\s)((current|new)-password|one-time-code|cc-(number|csc))$/.test(field.autocomplete);
      return isSecret ? field.name || field.id || 'password' : null;
    },
    // Focuses an element and selects its content.
    focus(text) {
      const element = document.querySelector(text);
      element?.focus();
      element?.select?.();
      return document.activeElement === element;
    },
    // The distance from the selected option to the wanted one, which is named by its value or text.
    options(text, wanted) {
      const element = document.querySelector(text);
      if (element?.localName !== 'select') return null;
      const options = [...element.options];
      const index = options.findIndex((o) => o.value === wanted || o.text.trim() === wanted);
      return index < 0 ? null : index - element.selectedIndex;
    },
    // The control that submits a form: its button, or its first field.
    submitter(text) {
      const element = document.querySelector(text);
      const form = element?.localName === 'form' ? element : element?.form;
      if (!form) return null;
      if (element !== form && isText(element) && element.localName === 'input') return { press: selector(element) };
      const button = [...form.elements].find((e) => e.type === 'submit' && usable(e));
      if (button) return { click: selector(button) };
      const field = [...form.elements].find((e) => isText(e) && usable(e));
      return field ? { press: selector(field) } : null;
    },
    // Notes the types of events that an element has listeners for.
    heard(element, types) {
      listened.set(element, types);
    },
    // The possible inputs on this page, in document order.
    candidates(most) {
      const found = [];
      for (const element of document.querySelectorAll('body *')) {
        if (found.length >= most) break;
        const kinds = steps(element);
        if (!kinds.length || !usable(element)) continue;
        for (const kind of kinds) {
          const next =
            element.localName === 'select' && element.options[(element.selectedIndex + 1) % element.options.length];
          found.push({ kind, selector: selector(element), value: next ? next.value : '' });
        }
      }
      const root = document.scrollingElement;
      if (root && root.scrollHeight > innerHeight + 50) found.push({ kind: 'scroll' });
      return found;
    },
  };
})();

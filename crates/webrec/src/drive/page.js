// Runs in an isolated world beside the page: it sees the page's elements, but not the changes that the
// page's scripts made to the platform. Its value is an object of functions.
(() => {
  const listened = new WeakMap();

  const visible = (element) => {
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) return false;
    const style = getComputedStyle(element);
    return style.visibility === 'visible' && style.pointerEvents !== 'none' && !element.disabled;
  };

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

  return {
    // Scrolls an element into view and returns its state: none, hidden, or its middle.
    locate(text) {
      let element;
      try {
        element = document.querySelector(text);
      } catch {
        return { state: 'invalid' };
      }
      if (!element) return { state: 'none' };
      if (!visible(element)) return { state: 'hidden' };
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const box = element.getBoundingClientRect();
      return { state: 'there', x: box.x + box.width / 2, y: box.y + box.height / 2 };
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
      const button = [...form.elements].find((e) => e.type === 'submit' && visible(e));
      if (button) return { click: selector(button) };
      const field = [...form.elements].find((e) => isText(e) && visible(e));
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
        if (!kinds.length || !visible(element)) continue;
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

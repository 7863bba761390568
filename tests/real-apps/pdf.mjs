// Makes a PDF with several pages of text: an outline, links and a form are not needed to exercise a viewer.

/** A PDF of `count` pages, each with its number in large letters and thirty lines of text. */
export function manyPages(count) {
  const objects = [];
  const add = (text) => objects.push(text);
  const pages = Array.from({ length: count }, (_, at) => 4 + 2 * at);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Count ${count} /Kids [${pages.map((id) => `${id} 0 R`).join(' ')}] >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (const [at, id] of pages.entries()) {
    const lines = Array.from({ length: 30 }, (_, line) => `(Page ${at + 1}, line ${line + 1}: events and races.) '`);
    const text = `BT /F1 36 Tf 72 740 Td (Page ${at + 1}) Tj /F1 12 Tf 18 TL 0 -30 Td ${lines.join(' ')} ET`;
    const resources = '/Resources << /Font << /F1 3 0 R >> >>';
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${id + 1} 0 R >>`);
    add(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
  }
  let file = '%PDF-1.4\n';
  const starts = objects.map((text, at) => {
    const start = file.length;
    file += `${at + 1} 0 obj\n${text}\nendobj\n`;
    return start;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const start of starts) file += `${String(start).padStart(10, '0')} 00000 n \n`;
  file += `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return file;
}

// A viewer made of the components of pdfjs-dist.
import * as pdfjs from '/build/pdf.mjs';

// The components use the library through this global.
globalThis.pdfjsLib = pdfjs;
const { EventBus, PDFFindController, PDFLinkService, PDFViewer } = await import('/web/pdf_viewer.mjs');

pdfjs.GlobalWorkerOptions.workerSrc = '/build/pdf.worker.mjs';
const $ = (id) => document.getElementById(id);
const eventBus = new EventBus();
const linkService = new PDFLinkService({ eventBus });
const findController = new PDFFindController({ eventBus, linkService });
const viewer = new PDFViewer({ container: $('container'), eventBus, linkService, findController });
linkService.setViewer(viewer);

eventBus.on('pagesinit', () => {
  viewer.currentScaleValue = 'page-width';
});
eventBus.on('pagechanging', ({ pageNumber }) => {
  $('number').textContent = pageNumber;
});
eventBus.on('updatefindmatchescount', ({ matchesCount }) => {
  $('found').textContent = matchesCount.total;
});
$('next').onclick = () => viewer.nextPage();
$('previous').onclick = () => viewer.previousPage();
$('larger').onclick = () => viewer.increaseScale();
$('smaller').onclick = () => viewer.decreaseScale();
$('find').onchange = ({ target }) =>
  eventBus.dispatch('find', { type: '', query: target.value, highlightAll: true, caseSensitive: false });

const file = await pdfjs.getDocument({ url: '/many.pdf', cMapUrl: '/cmaps/', cMapPacked: true }).promise;
viewer.setDocument(file);
linkService.setDocument(file, null);

'use strict';
// Tables that sort and filter; without this, the page is whole but for that.
(function () {
  function number(cell) { // of a column of numbers; NaN: there is none
    return cell.dataset.sort === '' ? NaN : parseFloat(cell.dataset.sort);
  }

  function compare(a, b, down) {
    if (a.dataset.sort !== undefined || b.dataset.sort !== undefined) {
      var m = number(a), n = number(b);
      if (isNaN(m) || isNaN(n)) return isNaN(m) - isNaN(n); // what is not known comes last
      return down ? n - m : m - n;
    }
    var order = a.textContent.trim().localeCompare(b.textContent.trim(), 'en', { numeric: true });
    return down ? -order : order;
  }

  function sort(table, column) {
    var heads = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0];
    var rows = Array.from(body.rows);
    var was = heads[column].getAttribute('aria-sort');
    var numeric = rows.some(function (row) { return row.cells[column].dataset.sort !== undefined; });
    var down = was ? was === 'ascending' : numeric;
    heads.forEach(function (head) { head.removeAttribute('aria-sort'); });
    heads[column].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    rows.sort(function (a, b) { return compare(a.cells[column], b.cells[column], down); });
    rows.forEach(function (row) { body.appendChild(row); });
  }

  function filter(box) {
    var table = document.getElementById(box.dataset.table);
    var words = box.querySelector('input').value.toLowerCase().split(/\s+/).filter(Boolean);
    var select = box.querySelector('select'), shown = 0;
    Array.from(table.tBodies[0].rows).forEach(function (row) {
      var text = row.textContent.toLowerCase();
      var fits = words.every(function (word) { return text.includes(word); });
      if (select && select.value) fits = fits && row.dataset.verdict === select.value;
      row.hidden = !fits;
      shown += fits;
    });
    box.querySelector('.count').textContent = shown + ' of ' + table.tBodies[0].rows.length;
  }

  function open() { // the part that the address names
    var part = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (part && part.tagName === 'DETAILS') {
      part.open = true;
      part.scrollIntoView();
    }
  }

  document.querySelectorAll('table.sortable').forEach(function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      head.querySelector('button').addEventListener('click', function () { sort(table, column); });
    });
  });
  document.querySelectorAll('.filter').forEach(function (box) {
    box.addEventListener('input', function () { filter(box); });
    filter(box); // a browser may have kept words
  });
  window.addEventListener('hashchange', open);
  open();
}());

package overhead;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;

/**
 * Lucene: paragraphs of source files indexed in memory, then searched in several ways: {@code -Doverhead.sources=DIR}.
 */
final class Lucene implements Workload {
  private static final int LINES = 30;
  private static final int PARAGRAPHS = 700;
  private static final int SEARCHES = 600;

  private final List<String> paragraphs = new ArrayList<>();
  private final List<String> words = new ArrayList<>();

  Lucene() throws IOException {
    for (Path file : Compile.sources()) {
      List<String> lines = Files.readAllLines(file);
      for (int at = 0; at < lines.size() && paragraphs.size() < PARAGRAPHS; at += LINES) {
        paragraphs.add(String.join("\n", lines.subList(at, Math.min(at + LINES, lines.size()))));
      }
    }
    for (String paragraph : paragraphs) {
      for (String word : paragraph.split("[^a-zA-Z]+")) {
        if (word.length() > 3 && words.size() < SEARCHES) words.add(word.toLowerCase(java.util.Locale.ROOT));
      }
    }
  }

  private void index(Directory directory) throws IOException {
    IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
    config.setMergeScheduler(new SerialMergeScheduler());
    config.setMaxBufferedDocs(200);
    config.setRAMBufferSizeMB(IndexWriterConfig.DISABLE_AUTO_FLUSH);
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      for (int i = 0; i < paragraphs.size(); i++) {
        Document document = new Document();
        document.add(new StringField("id", Integer.toString(i), Field.Store.YES));
        document.add(new TextField("text", paragraphs.get(i), Field.Store.NO));
        document.add(new IntPoint("length", paragraphs.get(i).length()));
        document.add(new StoredField("length", paragraphs.get(i).length()));
        writer.addDocument(document);
      }
    }
  }

  private Query query(int number) {
    String word = words.get(number);
    String next = words.get((number + 1) % words.size());
    switch (number % 5) {
      case 0: return new TermQuery(new Term("text", word));
      case 1: return new PhraseQuery("text", word, next);
      case 2: return new PrefixQuery(new Term("text", word.substring(0, 3)));
      case 3:
        return new BooleanQuery.Builder()
            .add(new TermQuery(new Term("text", word)), BooleanClause.Occur.MUST)
            .add(new TermQuery(new Term("text", next)), BooleanClause.Occur.SHOULD)
            .add(IntPoint.newRangeQuery("length", 200, 1500), BooleanClause.Occur.FILTER)
            .build();
      default:
        return new BooleanQuery.Builder()
            .add(new TermQuery(new Term("text", word)), BooleanClause.Occur.SHOULD)
            .add(new TermQuery(new Term("text", next)), BooleanClause.Occur.SHOULD)
            .build();
    }
  }

  @Override
  public long run() throws Exception {
    long sum = 0;
    try (Directory directory = new ByteBuffersDirectory()) {
      index(directory);
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        IndexSearcher searcher = new IndexSearcher(reader);
        for (int i = 0; i < words.size(); i++) {
          for (ScoreDoc hit : searcher.search(query(i), 10).scoreDocs) {
            sum = 31 * sum + searcher.storedFields().document(hit.doc).get("id").hashCode();
          }
        }
      }
    }
    return sum;
  }
}

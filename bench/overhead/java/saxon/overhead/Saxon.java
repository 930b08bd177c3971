package overhead;

import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.stream.StreamSource;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.SaxonApiException;
import net.sf.saxon.s9api.XsltExecutable;
import net.sf.saxon.s9api.XsltTransformer;

/** Saxon: orders in XML are parsed, grouped, sorted, filtered and written as HTML by a style sheet. */
final class Saxon implements Workload {
  private static final String SHEET = """
      <xsl:stylesheet version="3.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
        <xsl:output method="html"/>
        <xsl:key name="by-id" match="customer" use="@id"/>
        <xsl:template match="/orders">
          <table>
            <xsl:for-each-group select="order" group-by="@customer">
              <xsl:sort select="sum(current-group()/item/@pieces)" order="descending"/>
              <tr title="{key('by-id', current-grouping-key())/@name}">
                <xsl:apply-templates select="current-group()[item]"/>
              </tr>
            </xsl:for-each-group>
          </table>
        </xsl:template>
        <xsl:template match="order">
          <td>
            <xsl:choose>
              <xsl:when test="count(item) gt 3"><b><xsl:value-of select="string-join(item/@name, ', ')"/></b></xsl:when>
              <xsl:when test="matches(@note, '^n.*[05]$')"><xsl:value-of select="upper-case(@note)"/></xsl:when>
              <xsl:otherwise><xsl:value-of select="format-number(sum(item/(@pieces * 1.5)), '#,##0.00')"/></xsl:otherwise>
            </xsl:choose>
          </td>
        </xsl:template>
      </xsl:stylesheet>
      """;

  private final String orders;
  private final XsltExecutable sheet;
  private final Processor processor = new Processor(false);

  Saxon() throws SaxonApiException {
    StringBuilder made = new StringBuilder("<orders>");
    for (int i = 0; i < 20; i++) made.append("<customer id='c").append(i).append("' name='customer ").append(i * 37 % 101).append("'/>");
    for (int i = 0; i < 400; i++) {
      made.append("<order customer='c").append(i * 7 % 20).append("' note='note ").append(i * 31 % 97).append("'>");
      for (int line = i * 13 % 6; line > 0; line--) {
        made.append("<item name='item ").append(i * line % 60).append("' pieces='").append(1 + (i + line) % 9).append("'/>");
      }
      made.append("</order>");
    }
    orders = made.append("</orders>").toString();
    sheet = processor.newXsltCompiler().compile(new StreamSource(new StringReader(SHEET)));
  }

  @Override
  public long run() throws SaxonApiException {
    XsltTransformer transformer = sheet.load();
    StringWriter written = new StringWriter();
    transformer.setSource(new StreamSource(new StringReader(orders)));
    transformer.setDestination(processor.newSerializer(written));
    transformer.transform();
    return written.toString().hashCode();
  }
}
